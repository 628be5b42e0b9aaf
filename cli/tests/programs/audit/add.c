int answer(int x) { return x + 1; }
