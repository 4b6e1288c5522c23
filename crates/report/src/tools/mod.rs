//! Lists the tools whose output can be read. Each has a file or a folder of its
//! own, all of the same shape: a constant `TOOL` says what can be read of it,
//! namely its text, its report files and its diagnostics, and the readers follow.
//! Captured output with the expected result is in `tests/it/cases` and
//! `tests/it/diagnostics`.

pub(crate) mod annotations;
mod ant_junit;
mod ava;
mod biome;
mod black;
mod boost_test;
mod bun;
mod busted;
mod catch2;
mod checkstyle;
mod ctest;
mod ctrf;
mod cucumber_json;
mod dart_test;
mod deno;
mod doctest;
mod dotnet;
mod eslint;
mod exunit;
mod gherkin;
mod ginkgo;
mod go_build;
mod go_test;
mod gofmt;
mod golangci_lint;
mod googletest;
mod gradle;
mod html;
mod jasmine;
mod javac;
mod jest;
mod junit;
mod junit4_console;
mod junit5_console;
mod karma;
mod libtest;
mod maven;
mod minitest;
mod mocha;
mod mocha_stream;
mod mypy;
mod nextest;
pub(crate) mod node_exception;
mod node_test;
pub(crate) mod other;
mod pest;
mod phpunit;
mod plain;
mod playwright;
mod prettier;
mod prove;
mod pytest;
mod rake;
mod robot;
mod rspec;
mod rubocop;
mod ruby_exception;
mod ruff;
mod rustc;
mod rustfmt;
mod sarif;
mod scalatest;
mod shunit2;
mod spotless;
mod tap;
mod teamcity;
mod test_unit;
mod test_unit_xml;
mod testng;
mod testthat;
mod tsc;
mod unittest;
mod uvu;
mod vitest;
mod xctest;
mod xml_results;

use crate::diagnostics::DiagnosticsReader;
use crate::documents::Document;
use crate::text::{TextFormat, TextReader};

/// What can be read of a tool.
pub(crate) struct Tool {
    pub(crate) text: Option<TextFormat>,
    pub(crate) document: Option<Document>,
    pub(crate) diagnostics: &'static [DiagnosticsReader],
}

impl Tool {
    const NONE: Self = Self {
        text: None,
        document: None,
        diagnostics: &[],
    };

    /// A tool whose text `R` reads, woken by lines that begin with one of the
    /// first texts or contain one of the others.
    const fn text<R: TextReader + Default + 'static>(
        starts: &'static [&'static str],
        anywhere: &'static [&'static str],
    ) -> Self {
        Self {
            text: Some(TextFormat {
                starts,
                anywhere,
                ends: &[],
                reader: || Box::new(R::default()),
            }),
            ..Self::NONE
        }
    }

    /// Lines that end with one of these wake the reader, too.
    const fn woken_by_ends(mut self, ends: &'static [&'static str]) -> Self {
        if let Some(text) = &mut self.text {
            text.ends = ends;
        }
        self
    }
}

/// Every tool, in the order in which they receive a line or a document. Where
/// two find as many diagnostics in the same output, the first one counts.
pub(crate) static TOOLS: &[Tool] = &[
    pytest::TOOL,
    unittest::TOOL,
    doctest::TOOL,
    mypy::TOOL,
    ruff::TOOL,
    black::TOOL,
    jest::TOOL,
    vitest::TOOL,
    mocha::TOOL,
    node_test::TOOL,
    tap::TOOL,
    jasmine::TOOL,
    ava::TOOL,
    prove::TOOL,
    playwright::TOOL,
    tsc::TOOL,
    eslint::TOOL,
    prettier::TOOL,
    biome::TOOL,
    libtest::TOOL,
    nextest::TOOL,
    rustc::TOOL,
    rustfmt::TOOL,
    golangci_lint::TOOL,
    go_build::TOOL,
    go_test::TOOL,
    gofmt::TOOL,
    junit::TOOL,
    rspec::TOOL,
    minitest::TOOL,
    test_unit::TOOL,
    ruby_exception::TOOL,
    rake::TOOL,
    rubocop::TOOL,
    checkstyle::TOOL,
    maven::SUREFIRE,
    maven::TOOL,
    gradle::TOOL,
    junit4_console::TOOL,
    junit5_console::TOOL,
    ant_junit::TOOL,
    testng::TOOL,
    javac::TOOL,
    spotless::TOOL,
    boost_test::TOOL,
    bun::TOOL,
    busted::TOOL,
    catch2::TOOL,
    ctest::TOOL,
    dart_test::TOOL,
    deno::TOOL,
    dotnet::TOOL,
    exunit::TOOL,
    gherkin::TOOL,
    ginkgo::TOOL,
    googletest::TOOL,
    phpunit::TOOL,
    karma::TOOL,
    pest::TOOL,
    robot::TOOL,
    scalatest::TOOL,
    shunit2::TOOL,
    teamcity::TOOL,
    testthat::TOOL,
    uvu::TOOL,
    xctest::TOOL,
    cucumber_json::TOOL,
    html::RSPEC,
    test_unit_xml::TOOL,
    html::MOCHA,
    mocha_stream::TOOL,
    xml_results::ROBOT,
    xml_results::CATCH,
    xml_results::DOCTEST,
    xml_results::TRX,
    xml_results::XUNIT,
    xml_results::NUNIT,
    ctrf::TOOL,
    sarif::TOOL,
    plain::TOOL,
    annotations::TOOL,
    node_exception::TOOL,
    other::TOOL,
];
