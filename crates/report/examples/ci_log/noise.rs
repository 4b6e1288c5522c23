//! What a CI prints when it does not test.

use std::io;

/// Lines of package managers, compilers, container tools and servers, with
/// names and numbers that differ.
pub(crate) struct Noise {
    state: u64,
    /// Lines of one kind come in a row, as they do when one tool is at work.
    lines: &'static [&'static str],
    left: u64,
    line: Vec<u8>,
}

impl Default for Noise {
    fn default() -> Self {
        Self {
            state: 0x9e37_79b9_7f4a_7c15,
            lines: NPM,
            left: 0,
            line: Vec::new(),
        }
    }
}

impl Noise {
    pub(crate) fn line(&mut self, write: impl FnOnce(&[u8]) -> io::Result<()>) -> io::Result<()> {
        if self.left == 0 {
            self.lines = TOOLS[self.below(TOOLS.len())];
            self.left = 5 + self.random() % 120;
        }
        self.left -= 1;
        let template = self.lines[self.below(self.lines.len())];
        self.line.clear();
        for byte in template.bytes() {
            match byte {
                b'@' => {
                    let word = WORDS[self.below(WORDS.len())];
                    self.line.extend(word.as_bytes());
                }
                b'0' => {
                    let digit = b'0' + u8::try_from(self.random() % 10).unwrap_or_default();
                    self.line.push(digit);
                }
                b'~' => {
                    let hex = format!("{:016x}", self.random());
                    self.line.extend(hex.as_bytes());
                }
                byte => self.line.push(byte),
            }
        }
        write(&self.line)
    }

    fn below(&mut self, end: usize) -> usize {
        let random = usize::try_from(self.random() >> 33).unwrap_or_default();
        random % end
    }

    /// Xorshift: quick, and the same everywhere.
    fn random(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }
}

const WORDS: [&str; 24] = [
    "lodash",
    "serde",
    "express",
    "tokio",
    "webpack",
    "react",
    "session",
    "parser",
    "queue",
    "http",
    "cache",
    "router",
    "store",
    "client",
    "server",
    "config",
    "logging",
    "metrics",
    "auth",
    "billing",
    "catalog",
    "search",
    "worker",
    "scheduler",
];

const TOOLS: [&[&str]; 12] = [
    NPM, PIP, APT, DOCKER, CARGO, CMAKE, MAVEN, GO, WEBPACK, GIT, SERVER, TYPESCRIPT,
];

/// `@` is a word, `0` a digit, `~` a hash.
const NPM: &[&str] = &[
    "npm http fetch GET 200 https://registry.example.test/@-@ 00ms (cache miss)",
    "npm http fetch GET 200 https://registry.example.test/@/-/@-0.00.0.tgz 000ms (cache revalidated)",
    "npm warn deprecated @@0.0.0: this library is no longer supported, use @ instead",
    "added 000 packages, and audited 0000 packages in 00s",
    "npm sill placeDep ROOT @@0.0.0 OK for: @@0.0.0 want: ^0.0.0",
];
const PIP: &[&str] = &[
    "Collecting @-@<0.0,>=0.0.0 (from -r requirements.txt (line 00))",
    "  Downloading @-0.0.00-cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64.whl.metadata (0.0 kB)",
    "     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 0.0/0.0 MB 00.0 MB/s eta 0:00:00",
    "Requirement already satisfied: @>=0.0 in /opt/hostedtoolcache/Python/3.12.3/x64/lib/python3.12/site-packages (from @) (0.0.0)",
];
const APT: &[&str] = &[
    "Get:00 http://archive.ubuntu.com/ubuntu noble-updates/main amd64 lib@0 amd64 0.00.0-0ubuntu0 [00.0 kB]",
    "Preparing to unpack .../000-lib@0_0.00.0-0ubuntu0_amd64.deb ...",
    "Unpacking lib@0:amd64 (0.00.0-0ubuntu0) ...",
    "Setting up lib@-dev:amd64 (0.00.0-0ubuntu0) ...",
    "Selecting previously unselected package lib@0:amd64.",
];
const DOCKER: &[&str] = &[
    "#00 sha256:~~~~ 00.00MB / 000.00MB 0.0s",
    "#00 [build 0/00] RUN make -C @ install && rm -rf /var/cache/@",
    "#00 00.00 Building wheel for @ (pyproject.toml): started",
    "~: Pulling fs layer",
    "~: Pull complete",
    "#00 extracting sha256:~~~~ 0.0s done",
];
const CARGO: &[&str] = &[
    "\u{1b}[1m\u{1b}[32m   Compiling\u{1b}[0m @-@ v0.00.0",
    "\u{1b}[1m\u{1b}[32m  Downloaded\u{1b}[0m @-@ v0.0.000",
    "    Checking @ v0.0.0 (/home/runner/work/app/app/crates/@)",
    "\u{1b}[1m\u{1b}[33mwarning\u{1b}[0m\u{1b}[1m: unused variable: `@`\u{1b}[0m",
    "  \u{1b}[1m\u{1b}[94m--> \u{1b}[0mcrates/@/src/@.rs:000:00",
    "\u{1b}[1m\u{1b}[94m000 |\u{1b}[0m     let @ = @.@(0000)?;",
];
const CMAKE: &[&str] = &[
    "[ 00%] Building CXX object src/@/CMakeFiles/@.dir/@_@.cpp.o",
    "[ 00%] Linking CXX static library ../../lib/lib@.a",
    "/usr/bin/c++ -DNDEBUG -DUSE_@=1 -I/home/runner/work/app/app/src/@ -I/home/runner/work/app/app/third_party/@/include -isystem /usr/include/@ -O2 -g -std=gnu++20 -fPIC -Wall -Wextra -MD -MT src/@/@.cpp.o -MF src/@/@.cpp.o.d -o src/@/@.cpp.o -c /home/runner/work/app/app/src/@/@.cpp",
    "/home/runner/work/app/app/src/@/@.cpp:000:00: warning: comparison of integer expressions of different signedness: 'int' and 'std::vector<@>::size_type' [-Wsign-compare]",
    "  000 |     for (int i = 0; i < @.size(); ++i) {",
    "      |                     ~~^~~~~~~~~~~~~~",
    "In file included from /home/runner/work/app/app/src/@/@.cpp:00:",
    "-- Performing Test HAVE_@_0 - Success",
];
const MAVEN: &[&str] = &[
    "[INFO] Downloading from central: https://repo.maven.apache.org/maven2/org/@/@-core/0.0.0/@-core-0.0.0.pom",
    "[INFO] Downloaded from central: https://repo.maven.apache.org/maven2/org/@/@-core/0.0.0/@-core-0.0.0.jar (000 kB at 0.0 MB/s)",
    "[WARNING] /home/runner/work/app/app/@/src/main/java/com/shop/@/Cart.java:[00,00] [unchecked] unchecked cast",
    "[INFO] --- maven-resources-plugin:3.3.1:resources (default-resources) @ @ ---",
];
const GO: &[&str] = &[
    "go: downloading github.com/@/@ v0.00.0",
    "go: downloading golang.org/x/@ v0.00.0",
    "github.com/@/@/internal/@",
];
const WEBPACK: &[&str] = &[
    "  modules by path ./node_modules/@/ 00.0 KiB 00 modules",
    "asset @.~.js 000 KiB [emitted] [immutable] [minimized] (name: @) 0 related asset",
    "\u{1b}[2mdist/\u{1b}[22m\u{1b}[36massets/@-~.js  \u{1b}[39m\u{1b}[1m\u{1b}[2m000.00 kB\u{1b}[22m\u{1b}[1m\u{1b}[22m\u{1b}[2m │ gzip: 00.00 kB\u{1b}[22m",
    "./src/@/@.tsx 0.00 KiB [built] [code generated]",
];
const GIT: &[&str] = &[
    "remote: Counting objects:  00% (000/0000)\rremote: Counting objects:  00% (000/0000)\rremote: Counting objects: 100% (0000/0000), done.",
    " * [new branch]          feature/@-@-000 -> origin/feature/@-@-000",
    "[command]/usr/bin/git config --local --get-regexp core.sshCommand",
    "Receiving objects:  00% (0000/00000), 00.00 MiB | 00.00 MiB/s",
];
const SERVER: &[&str] = &[
    "2026-03-01 08:00:00.000  INFO 0000 --- [           main] com.shop.@.@Application  : Started @ in 0.000 seconds (process running for 0.000)",
    "{\"level\":\"info\",\"ts\":\"2026-03-01T08:00:00.000Z\",\"caller\":\"@/@.go:000\",\"msg\":\"request\",\"path\":\"/api/@/000\",\"status\":200,\"duration\":0.0000}",
    "time=\"2026-03-01T08:00:00Z\" level=debug msg=\"@ received\" component=@ request_id=~",
    "127.0.0.1 - - [01/Mar/2026:08:00:00 +0000] \"GET /@/@?page=00 HTTP/1.1\" 200 0000 \"-\" \"curl/8.5.0\"",
    "postgres-1  | 2026-03-01 08:00:00.000 UTC [00] LOG:  checkpoint complete: wrote 000 buffers (0.0%)",
    "DEBUG [@.@] ~ acquired connection 00 of 000 in 0.00 ms",
];
const TYPESCRIPT: &[&str] = &[
    "$ tsc -p packages/@/tsconfig.json",
    "@:build: cache miss, executing ~",
    "@:build: src/@/@.ts → dist/@.js, dist/@.cjs...",
    "✓ built in 0.00s",
    "  packages/@/src/@.ts  0.00 kB │ map: 00.00 kB",
];
