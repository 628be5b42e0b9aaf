// Runs a program for wasm32-wasip1: node run.mjs PROGRAM ARGUMENT...
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";
import { argv, exit } from "node:process";

const wasi = new WASI({ version: "preview1", args: argv.slice(2), returnOnExit: true });
const program = await WebAssembly.compile(await readFile(argv[2]));
const instance = await WebAssembly.instantiate(program, wasi.getImportObject());
exit(wasi.start(instance));
