--  Accesses to nested subprograms, which GNAT passes as trampolines with -ftrampolines.
with Ada.Text_IO; use Ada.Text_IO;
procedure Nested is
   type Action is access procedure (X : Integer);
   procedure Apply (F : Action; X : Integer) is
   begin
      F (X);
   end Apply;
   procedure Host (Base : Integer) is
      Sum : Integer := Base;
      procedure Add (X : Integer) is
      begin
         Sum := Sum + X;
      end Add;
   begin
      for I in 1 .. 10 loop
         Apply (Add'Unrestricted_Access, I);
      end loop;
      Put_Line (Integer'Image (Sum));
   end Host;
begin
   Host (1);
   Host (100);
end Nested;
