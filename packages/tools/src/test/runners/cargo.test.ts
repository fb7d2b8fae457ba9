import { expect, it } from "vitest";
import { cargo } from "./cargo.ts";

/** Recorded from cargo 1.95, the traces shortened. */
const OUTPUT = `   Compiling m v0.1.0 (/m)
    Finished \`test\` profile [unoptimized + debuginfo] target(s) in 2.20s
     Running unittests src/lib.rs (target/debug/deps/m-81c9f5d764ef8bf2)

running 5 tests
test tests::later ... ignored
test tests::adds ... ok
test tests::wrong_result ... FAILED
test tests::wrong_too ... FAILED
test tests::wrong ... FAILED

failures:

---- tests::wrong_result stdout ----
Error: "bad"

---- tests::wrong_too stdout ----

thread 'tests::wrong_too' (31009) panicked at src/lib.rs:18:9:
failures:

stack backtrace:
   2: m::tests::wrong
             at ./src/lib.rs:14:9
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.

---- tests::wrong stdout ----
printed

with a gap

thread 'tests::wrong' (31007) panicked at src/lib.rs:14:9:
assertion \`left == right\` failed
  left: 2
 right: 3
stack backtrace:
   2: m::tests::wrong
             at ./src/lib.rs:14:9
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.


failures:
    tests::wrong
    tests::wrong_result
    tests::wrong_too

test result: FAILED. 1 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

error: test failed, to rerun pass \`--lib\`
     Running tests/it.rs (target/debug/deps/it-1d98c552257fd9c1)

running 1 test
test works ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests m

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

error: 1 target failed:
    \`--lib\`
`;

it("cargo test is read from what it prints, over all of its programs", async () => {
  expect(await cargo.toReport({ report: undefined, output: OUTPUT })).toEqual({
    passed: 2,
    failed: 3,
    skipped: 1,
    failures: [
      { name: "tests > wrong_result", message: 'Error: "bad"' },
      { name: "tests > wrong_too", file: "src/lib.rs", line: 18, message: expect.stringContaining("failures:") },
      {
        name: "tests > wrong",
        file: "src/lib.rs",
        line: 14,
        message: expect.stringMatching(/^printed\n\nwith a gap\n.*left: 2\n right: 3\n/s),
      },
    ],
  });
});

it("cargo test says nothing when the project did not compile", async () => {
  expect(
    await cargo.toReport({ report: undefined, output: "error[E0425]: cannot find value `x` in this scope\n" }),
  ).toBeUndefined();
});

it("cargo test is given the program of a file in tests/", async () => {
  const project = {
    folder: "/m",
    names: new Set<string>(),
    testScript: undefined,
    hasWorkspaces: false,
    packages: new Set<string>(),
    read: () => "",
  };
  const path = { absolute: "/m/tests/it.rs", isFolder: false };
  expect((await cargo.toCommand({ project, path, filter: "works", reportFile: "/r" })).args).toEqual([
    "test",
    "--no-fail-fast",
    "--color=never",
    "--test=it",
    "works",
  ]);
});
