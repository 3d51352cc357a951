"""Skips in code that is not Python: what counts in which language, what is exempt, and that any bytes are read."""

from __future__ import annotations

import re
from functools import partial
from textwrap import dedent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from flakeledger.repo.foreign_skips import foreign_skips
from flakeledger.repo.languages import ENDINGS
from flakeledger.repo.skip import MOST_PLACES, Skip, SkipKind, unread
from flakeledger.repo.skip_patterns import CANDIDATE_WORDS
from growing import assert_linear

#: (path, text of one place, kind, name, test); the text is at the first place of a file of its own
Case = tuple[str, str, SkipKind, str, str]

SCRIPTS: list[Case] = [
    ("a.test.js", "it.skip('adds', () => {});", "skip", "it.skip", "adds"),
    ("a.test.ts", "test.skip(`adds ${n}`, async () => {});", "skip", "test.skip", "adds ${n}"),
    ("a.test.jsx", 'describe.skip("cart", function () {});', "skip", "describe.skip", "cart"),
    ("a.test.tsx", "suite.skip('cart', () => {});", "skip", "suite.skip", "cart"),
    ("a.test.mjs", "context.skip('cart', () => {});", "skip", "context.skip", "cart"),
    ("a.test.cjs", "specify.skip('adds', () => {});", "skip", "specify.skip", "adds"),
    ("a.test.js", "describe.skip(Cart, () => {});", "skip", "describe.skip", "Cart"),
    ("a.test.js", "it\n  .skip('adds', f);", "skip", "it.skip", "adds"),
    ("a.test.js", "it.skip('a');", "skip", "it.skip", "a"),
    ("a.test.js", "it.skip.each([[1, 2]])('adds %s', () => {});", "skip", "it.skip.each", "adds %s"),
    ("a.test.ts", "it.skip.each<Row>([[1, 2]])('adds %s', () => {});", "skip", "it.skip.each", "adds %s"),
    ("a.test.js", "test.skip.each`a | b\n${1} | ${2}`('adds $a', () => {});", "skip", "test.skip.each", "adds $a"),
    ("a.test.js", "test.concurrent.skip('adds', f);", "skip", "test.concurrent.skip", "adds"),
    ("a.test.js", "test.serial.skip('adds', f);", "skip", "test.serial.skip", "adds"),
    ("a.test.js", "xit('adds', f);", "skip", "xit", "adds"),
    ("a.test.js", "xtest('adds', f);", "skip", "xtest", "adds"),
    ("a.test.js", "xdescribe('cart', f);", "skip", "xdescribe", "cart"),
    ("a.test.js", "xcontext('cart', f);", "skip", "xcontext", "cart"),
    ("a.test.js", "xspecify('adds', f);", "skip", "xspecify", "adds"),
    ("a.test.js", "xit.each([1])('adds %s', f);", "skip", "xit", "adds %s"),
    ("a.spec.ts", "test.describe.skip('cart', f);", "skip", "test.describe.skip", "cart"),
    ("a.spec.ts", "test.describe.fixme('cart', f);", "skip", "test.describe.fixme", "cart"),
    ("a.spec.ts", "test.fixme('adds', f);", "skip", "test.fixme", "adds"),
    ("a.spec.ts", "test('adds', async () => { test.skip(); });", "skip", "test.skip()", "adds"),
    ("a.spec.ts", "test('adds', async () => { test.fixme(true, 'x'); });", "skip", "test.fixme", "adds"),
    ("a.spec.ts", "test('adds', async () => { test.fail(); });", "xfail", "test.fail()", "adds"),
    ("a.spec.ts", "test.fail('adds', f);", "xfail", "test.fail", "adds"),
    ("a.spec.ts", "cartTest.skip('adds', f);", "skip", "cartTest.skip", "adds"),
    ("a.test.js", "test.failing('adds', f);", "xfail", "test.failing", "adds"),
    ("a.test.js", "it.failing.each([1])('adds', f);", "xfail", "it.failing.each", "adds"),
    ("a.test.ts", "it.fails('adds', f);", "xfail", "it.fails", "adds"),
    ("a.test.ts", "it.skipIf(true)('adds', f);", "skip", "it.skipIf", "adds"),
    ("a.test.ts", "describe.runIf(false)('cart', f);", "skip", "describe.runIf", "cart"),
    ("a.test.js", "it('adds', { skip: true }, f);", "skip", "{ skip: true }", "adds"),
    ("a.test.js", "t.test('adds', { skip: 'slow' }, f);", "skip", "{ skip: true }", "adds"),
    ("a.test.js", "test('adds', { timeout: 1, fails: true }, f);", "xfail", "{ fails: true }", "adds"),
    ("a.test.ts", "test('adds', { retry: 3 }, f);", "retry", "{ retry: … }", "adds"),
    ("a.cy.js", "describe('cart', { retries: 2 }, f);", "retry", "{ retries: … }", "cart"),
    ("a.spec.ts", "test.describe.configure({ retries: 2 });", "retry", "{ retries: … }", ""),
    ("a.test.ts", "Deno.test('adds', { ignore: true }, f);", "skip", "{ ignore: true }", "adds"),
    ("a.test.ts", "Deno.test.ignore('adds', f);", "skip", "Deno.test.ignore", "adds"),
    ("a.test.js", "QUnit.skip('adds', f);", "skip", "QUnit.skip", "adds"),
    ("a.test.js", "it('adds', function () { this.skip(); });", "skip", "this.skip()", "adds"),
    ("a.test.js", "it('adds', function () { return this.skip(); });", "skip", "this.skip()", "adds"),
    ("a.test.js", "test('adds', (t) => t.skip('slow'));", "skip", "t.skip()", "adds"),
    ("a.test.js", "it('adds', () => { pending('slow'); });", "skip", "pending()", "adds"),
    ("a.test.js", "jest.retryTimes(3);", "retry", "jest.retryTimes()", ""),
    ("a.test.js", "it('adds', function () { this.retries(2); });", "retry", "this.retries()", "adds"),
    ("a.test.js", "it('adds', f).retries(2);", "retry", ".retries()", "adds"),
    ("a.test.js", "const off = it.skip;", "skip", "it.skip", ""),
    ("a.test.js", "it('adds', function () { if (true) { this.skip(); } });", "skip", "this.skip()", "adds"),
    ("a.test.js", "it('adds', () => { if (false) { f(); } else { this.skip(); } });", "skip", "this.skip()", "adds"),
    ("a.test.js", "if (1) it.skip('adds', f);", "skip", "it.skip", "adds"),
    ("a.test.js", "true && it.skip('adds', f);", "skip", "it.skip", "adds"),
    ("a.test.js", "for (const n of all) { it.skip('adds', f); }", "skip", "it.skip", "adds"),
    ("a.test.js", "try { it.skip('adds', f); } finally { }", "skip", "it.skip", "adds"),
    ("a.test.js", "if (!ready) { describe('cart', () => { it.skip('adds', f); }); }", "skip", "it.skip", "adds"),
    ("a.test.js", "const quote = /['\"]/; it.skip('adds', f);", "skip", "it.skip", "adds"),
    ("a.test.ts", "it.each([1])('adds', { skip: true }, f);", "skip", "{ skip: true }", "adds"),
    ("a.test.ts", "it.each`a\n${'x'}`('adds', { retry: 2 }, f);", "retry", "{ retry: … }", "adds"),
    ("a.test.js", "it.skip.each`a\n${'x'}`('adds', f);", "skip", "it.skip.each", "adds"),
    ("a.test.js", "it.each([1])('adds', f).retries(2);", "retry", ".retries()", "adds"),
    ("Cart.vue", "<template><p>Don't</p></template>\n<script>it.skip('adds', f)</script>", "skip", "it.skip", "adds"),
]

SCRIPTS_EXEMPT: list[tuple[str, str]] = [
    ("a.test.js", "it('adds', f); it.only('adds', f); it.todo('skip');"),
    ("a.test.js", "// it.skip('adds', f)\n/* xit('adds', f) */"),
    ("a.test.js", "const text = \"it.skip('adds', f)\"; const more = `xit('adds', f)`;"),
    ("a.test.js", "const found = /it.skip('adds')/.test(text);"),
    ("a.test.js", "const itLinux = isLinux ? it : it.skip;"),
    ("a.test.js", "(isLinux ? describe : describe.skip)('cart', f);"),
    ("a.test.js", "isLinux || it.skip('adds', f);"),
    ("a.test.js", "isLinux && it.skip('adds', f);"),
    ("a.test.js", "if (isLinux) it.skip('adds', f);"),
    ("a.test.js", "if (isLinux) { it.skip('adds', f); }"),
    ("a.test.js", "if (isLinux) { run(); } else { it.skip('adds', f); }"),
    ("a.test.js", f"if (true{' ' * 80}&& isLinux) {{ it.skip('adds', f); }}"),
    ("a.test.js", "if (false) { it.skip('adds', f); }"),
    ("a.test.ts", "if (isLinux) it.each([1])('adds', { skip: true }, f);"),
    ("a.test.ts", "isLinux && it.each`a\n${1}`('adds', { skip: true }, f);"),
    ("a.test.js", "if (isLinux) it.each([1])('adds', f).retries(2);"),
    ("a.test.ts", "it('adds', (ctx) => { ctx.skip(isLinux); });"),
    ("a.test.js", "it('adds', () => { function pending() {} });"),
    ("a.test.js", "switch (os) { case 'a': { it.skip('adds', f); break; } }"),
    ("a.test.js", "try { go(); } catch (error) { it.skip('adds', f); }"),
    ("a.test.js", "it('adds', function () { if (isLinux) { this.skip(); } });"),
    ("a.test.js", "it('adds', function () { if (isLinux) return; this.skip(); });"),
    ("a.test.js", "it('adds', function () { if (isLinux) { return done(); } this.skip(); });"),
    ("a.test.ts", "test('adds', { skip: isLinux }, f); test('adds', { skip: false }, f);"),
    ("a.test.ts", "test('adds', { todo: true }, f); test('adds', { retry: 0 }, f);"),
    ("a.test.ts", "test('adds', { retries: process.env.CI ? 2 : 0 }, f);"),
    ("a.test.ts", "it.skipIf(isLinux)('adds', f); it.runIf(isLinux)('adds', f); it.skipIf(false)('adds', f);"),
    ("a.spec.ts", "test.skip(browserName === 'firefox', 'why');"),
    ("a.spec.ts", "test.skip(({ browserName }) => browserName === 'firefox', 'why');"),
    ("a.spec.ts", "test.fail(isMac, 'why'); test.slow();"),
    ("a.test.js", "t.fail('never'); t.pass('run', { skip: true }); expect.fail('never');"),
    ("a.test.js", "store.find({ skip: true }); cursor.skip(10); parser.skip(); list.skip('a');"),
    ("a.test.js", "this.skip(5); this.retries(0); jest.retryTimes(0); jest.retryTimes(count);"),
    ("a.test.js", "export function xit(title, f) {}\nfoo.xit('adds', f);"),
    ("a.test.js", "if (isLinux) {\n  if (true) { it.skip('adds', f); }\n}"),
]

OTHERS: list[Case] = [
    # JVM
    ("ATest.java", "@Disabled class CartTest { }", "skip", "@Disabled", "CartTest"),
    ("ATest.java", '@Disabled("slow")\n@Test\nvoid adds() throws Exception { }', "skip", "@Disabled", "adds"),
    ("ATest.java", '@Test @Ignore("slow") public void adds() { }', "skip", "@Ignore", "adds"),
    ("ATest.java", "@org.junit.Ignore @Test public void adds() { }", "skip", "@org.junit.Ignore", "adds"),
    ("ATest.java", "@Test(enabled = false) public void adds() { }", "skip", "@Test(enabled = false)", "adds"),
    ("ATest.java", "@Test(retryAnalyzer = R.class) public void adds() { }", "retry", "@Test(retryAnalyzer)", "adds"),
    ("ATest.java", "@RetryingTest(3) void adds() { }", "retry", "@RetryingTest", "adds"),
    ("ATest.java", "@RepeatedIfExceptionsTest void adds() { }", "retry", "@RepeatedIfExceptionsTest", "adds"),
    ("ATest.java", "@FlakyTest void adds() { }", "flaky", "@FlakyTest", "adds"),
    ("ATest.java", "@Flaky void adds() { }", "flaky", "@Flaky", "adds"),
    ("ATest.java", "@Quarantined void adds() { }", "quarantine", "@Quarantined", "adds"),
    ("ATest.java", 'void adds() { throw new SkipException("slow"); }', "skip", "SkipException", "adds"),
    ("ATest.java", "void adds() { assumeTrue(false); }", "skip", "assumeTrue(false)", "adds"),
    ("ATest.java", 'void adds() { Assumptions.abort("slow"); }', "skip", "Assumptions.abort()", "adds"),
    ("ATest.kt", "@Test @Disabled fun `adds two`() { }", "skip", "@Disabled", "adds two"),
    ("ATest.kt", 'xtest("adds") { }', "skip", "xtest", "adds"),
    ("ATest.kt", 'test("adds").config(enabled = false) { }', "skip", ".config(enabled = false)", "adds"),
    ("ATest.kt", '"adds".config(enabled = false) { }', "skip", ".config(enabled = false)", "adds"),
    ("ASpec.groovy", '@Ignore("slow")\ndef "adds two"() { }', "skip", "@Ignore", "adds two"),
    ("ASpec.groovy", '@PendingFeature\ndef "adds two"() { }', "xfail", "@PendingFeature", "adds two"),
    ("ASpec.groovy", "@Retry(count = 3)\ndef adds() { }", "retry", "@Retry", "adds"),
    ("ASpec.scala", 'ignore("adds") { }', "skip", "ignore", "adds"),
    ("ASpec.scala", '"A cart" should "add" ignore { }', "skip", "ignore", "add"),
    ("ASpec.scala", '"adds" in pendingUntilFixed { }', "xfail", "pendingUntilFixed", ""),
    ("ASpec.scala", 'test("adds".ignore) { }', "skip", '"…".ignore', "adds"),
    ("ASpec.scala", 'test("adds".flaky) { }', "flaky", '"…".flaky', "adds"),
    ("ASpec.scala", "@Ignore class CartSpec extends Spec", "skip", "@Ignore", "CartSpec"),
    # Go
    ("a_test.go", 'func TestAdds(t *testing.T) { t.Skip("slow") }', "skip", "t.Skip()", "TestAdds"),
    ("a_test.go", 'func TestAdds(t *testing.T) { t.Skipf("%d", 1) }', "skip", "t.Skipf()", "TestAdds"),
    ("a_test.go", "func BenchmarkAdds(b *testing.B) {\n\tb.SkipNow()\n}", "skip", "b.SkipNow()", "BenchmarkAdds"),
    ("a_test.go", "func (s *S) TestAdds() { s.T().Skip() }", "skip", "s.T().Skip()", "TestAdds"),
    ("a_test.go", 't.Run("adds", func(t *testing.T) { t.Skip() })', "skip", "t.Skip()", "adds"),
    ("a_test.go", "func TestA(t *testing.T) {\n\tfor _, x := range y {\n\tt.Skip()\n}\n}", "skip", "t.Skip()", "TestA"),
    ("a_test.go", "func TestA(t *testing.T) {\n\tif true {\n\t\tt.Skip()\n\t}\n}", "skip", "t.Skip()", "TestA"),
    ("a_test.go", 'var _ = PIt("adds", func() {})', "skip", "PIt", "adds"),
    ("a_test.go", 'var _ = XDescribe("cart", func() {})', "skip", "XDescribe", "cart"),
    ("a_test.go", 'var _ = It("adds", Pending, func() {})', "skip", "Pending", "adds"),
    ("a_test.go", 'var _ = It("adds", FlakeAttempts(3), func() {})', "retry", "FlakeAttempts", "adds"),
    ("a_test.go", 'var _ = It("adds", func() { Skip("slow") })', "skip", "Skip()", "adds"),
    # Rust
    ("a_test.rs", "#[test]\n#[ignore]\nfn adds() {}", "skip", "#[ignore]", "adds"),
    ("a_test.rs", '#[ignore = "slow"]\n#[test]\nasync fn adds<T>() {}', "skip", "#[ignore]", "adds"),
    ("a_test.rs", "#[flaky_test::flaky_test]\nfn adds() {}", "flaky", "#[flaky_test]", "adds"),
    # C#
    ("ATests.cs", '[Fact(Skip = "slow")]\npublic void Adds() {}', "skip", "[Fact(Skip)]", "Adds"),
    ("ATests.cs", "[Theory(Skip = Why)] public void Adds(int n) {}", "skip", "[Theory(Skip)]", "Adds"),
    ("ATests.cs", "[Test, Ignore(\"slow\")] public async Task Adds() {}", "skip", "[Ignore]", "Adds"),
    ("ATests.cs", "[Ignore]\n[TestClass]\npublic class CartTests {}", "skip", "[Ignore]", "CartTests"),
    ("ATests.cs", "[Test]\n[Explicit]\npublic void Adds() {}", "skip", "[Explicit]", "Adds"),
    ("ATests.cs", '[TestCase(1, Ignore = "slow")] public void Adds(int n) {}', "skip", "[TestCase(Ignore)]", "Adds"),
    ("ATests.cs", "[Test, Retry(3)] public void Adds() {}", "retry", "[Retry]", "Adds"),
    ("ATests.cs", "[RetryFact] public void Adds() {}", "retry", "[RetryFact]", "Adds"),
    ("ATests.cs", '[QuarantinedTest("x")] public void Adds() {}', "quarantine", "[QuarantinedTest]", "Adds"),
    ("ATests.cs", 'public void Adds() { Assert.Ignore("slow"); }', "skip", "Assert.Ignore()", "Adds"),
    ("ATests.cs", "public void Adds() => Assert.Inconclusive();", "skip", "Assert.Inconclusive()", ""),
    ("ATests.cs", "public void Adds() { Skip.If(true); }", "skip", "Skip.If(true)", "Adds"),
    # C and C++, Objective-C
    ("a_test.cc", 'TEST(Cart, Adds) { GTEST_SKIP() << "slow"; }', "skip", "GTEST_SKIP()", "Cart.Adds"),
    ("a_test.cc", "TEST_F(Cart, DISABLED_Adds) {}", "skip", "DISABLED_", "Cart.DISABLED_Adds"),
    ("a_test.cc", "TEST_P(DISABLED_Cart, Adds) {}", "skip", "DISABLED_", "DISABLED_Cart.Adds"),
    ("a_test.cpp", 'TEST_CASE("adds", "[cart][!mayfail]") {}', "xfail", "[!mayfail]", "adds"),
    ("a_test.cpp", 'TEST_CASE("adds", "[!shouldfail]") {}', "xfail", "[!shouldfail]", "adds"),
    ("a_test.cpp", 'TEST_CASE("adds", "[.]") {}', "skip", "[.]", "adds"),
    ("a_test.cpp", 'TEST_CASE("adds") { SKIP("slow"); }', "skip", "SKIP()", "adds"),
    ("a_test.cpp", 'TEST_CASE("adds" * doctest::skip()) {}', "skip", "skip()", "adds"),
    ("a_test.cpp", 'TEST_CASE("adds" * doctest::may_fail()) {}', "xfail", "may_fail()", "adds"),
    ("a_test.cpp", "BOOST_AUTO_TEST_CASE(adds, * boost::unit_test::disabled()) {}", "skip", "disabled()", "adds"),
    ("a_test.cpp", 'void Cart::adds() { QSKIP("slow"); }', "skip", "QSKIP()", "adds"),
    ("a_test.c", 'Test(cart, adds, .disabled = true) {}', "skip", ".disabled", ""),
    ("ATests.m", '- (void)testAdds { XCTSkip(@"slow"); }', "skip", "XCTSkip", ""),
    # Swift
    ("ATests.swift", 'func testAdds() throws { throw XCTSkip("slow") }', "skip", "XCTSkip", "testAdds"),
    ("ATests.swift", "func testAdds() throws { try XCTSkipIf(true) }", "skip", "XCTSkipIf(true)", "testAdds"),
    ("ATests.swift", '@Test("adds", .disabled("slow")) func adds() {}', "skip", ".disabled", "adds"),
    ("ATests.swift", '@Test(.disabled("slow")) func adds() {}', "skip", ".disabled", "adds"),
    ("ATests.swift", "@Test func adds() { withKnownIssue { add() } }", "xfail", "withKnownIssue", "adds"),
    ("ATests.swift", "func testAdds() { XCTExpectFailure() }", "xfail", "XCTExpectFailure", "testAdds"),
    # PHP
    ("ATest.php", "<?php class A { function testAdds() { $this->markTestSkipped('slow'); } }", "skip",
     "markTestSkipped()", "testAdds"),
    ("ATest.php", "<?php class A { function testAdds(): void { self::markTestIncomplete(); } }", "skip",
     "markTestIncomplete()", "testAdds"),
    ("ATest.php", "<?php it('adds', function () { })->skip();", "skip", "->skip()", "adds"),
    ("ATest.php", "<?php test('adds', fn () => 1)->with([1])->skip('slow');", "skip", "->skip()", "adds"),
    # Ruby
    ("a_spec.rb", 'it "adds" do\n  skip "slow"\nend', "skip", "skip", "adds"),
    ("a_spec.rb", 'it "adds" do\n  pending\n  add\nend', "skip", "pending", "adds"),
    ("a_test.rb", "def test_adds\n  skip\nend", "skip", "skip", "test_adds"),
    ("a_spec.rb", 'it("adds") { skip("slow") }', "skip", "skip", "adds"),
    ("a_spec.rb", 'pending "adds" do\nend', "skip", "pending", "adds"),
    ("a_spec.rb", 'xit "adds" do\nend', "skip", "xit", "adds"),
    ("a_spec.rb", "xdescribe Cart do\nend", "skip", "xdescribe", ""),
    ("a_spec.rb", 'it "adds", skip: true do\nend', "skip", "skip: true", "adds"),
    ("a_spec.rb", "it 'adds', skip: 'slow' do\nend", "skip", "skip: true", "adds"),
    ("a_spec.rb", 'it "adds",\n   :pending do\nend', "skip", ":pending", "adds"),
    ("a_spec.rb", 'it "adds", retry: 3 do\nend', "retry", "retry:", "adds"),
    # the rest
    ("a_test.exs", '@tag :skip\ntest "adds", %{} do\nend', "skip", "@tag :skip", "adds"),
    ("a_test.exs", '@tag skip: "slow"\n@tag timeout: 1\ntest "adds" do\nend', "skip", "@tag :skip", "adds"),
    ("a_test.exs", "defmodule A do\n  @moduletag :skip\nend", "skip", "@moduletag :skip", ""),
    ("a_test.dart", "test('adds', () {}, skip: true);", "skip", "skip: true", "adds"),
    ("a_test.dart", "testWidgets('adds', (t) async {}, skip: 'slow');", "skip", "skip: true", "adds"),
    ("a_test.dart", "test('adds', () {}, retry: 2);", "retry", "retry:", "adds"),
    ("a_test.dart", "@Skip('slow')\nlibrary a;", "skip", "@Skip", ""),
    ("a_spec.lua", 'pending("adds", function() end)', "skip", "pending", "adds"),
    ("test-a.R", 'test_that("adds", {\n  skip("slow")\n})', "skip", "skip()", "adds"),
    ("a.jl", "@test_skip add(1) == 2", "skip", "@test_skip", ""),
    ("a.jl", "@test_broken add(1) == 2", "xfail", "@test_broken", ""),
    ("ASpec.hs", 'xit "adds" $ do', "skip", "xit", "adds"),
    ("ASpec.hs", 'tests = [ expectFail $ testCase "adds" add ]', "xfail", "expectFail", ""),
    ("a_test.clj", "(deftest ^:kaocha/skip adds)", "skip", "^:kaocha/skip", ""),
    ("a.t", "plan skip_all => 'slow';", "skip", "skip_all", ""),
    ("A.Tests.ps1", "It 'adds' -Skip { }", "skip", "-Skip", "adds"),
    ("a.bats", '@test "adds" {\n  skip "slow"\n}', "skip", "skip", "adds"),
    # options for pytest
    ("tox.ini", "[pytest]\naddopts = -x --deselect tests/a.py::b", "deselect", "--deselect", "tests/a.py::b"),
    ("pyproject.toml", 'addopts = "-x --deselect=tests/a.py::b"', "deselect", "--deselect", "tests/a.py::b"),
    ("pyproject.toml", 'addopts = ["--deselect", "tests/a.py::b"]', "deselect", "--deselect", "tests/a.py::b"),
    ("ci.yml", "- run: pytest --deselect 'tests/a.py::b[x y]'", "deselect", "--deselect", "tests/a.py::b[x y]"),
    ("run.sh", "pytest \\\n  --deselect \\\n  tests/a.py::b", "deselect", "--deselect", "tests/a.py::b"),
    ("Makefile", "test:\n\tpytest --deselect tests/a.py", "deselect", "--deselect", "tests/a.py"),
    ("Dockerfile", 'CMD ["pytest", "--deselect", "tests/a.py::b"]', "deselect", "--deselect", "tests/a.py::b"),
]  # fmt: skip

OTHERS_EXEMPT: list[tuple[str, str]] = [
    ("ATest.java", '// @Disabled\nclass A { String s = "@Ignore"; /* @Ignore void a() {} */ }'),
    ("ATest.java", '@DisabledOnOs(WINDOWS) void adds() { } @EnabledIf("x") void more() { }'),
    ("ATest.java", "@Ignore private String total; @JsonIgnore int n;"),
    ("ATest.java", 'void adds() { assumeTrue(isLinux()); if (slow) { throw new SkipException("x"); } }'),
    ("ATest.java", "void adds() { assertThrows(X.class, () -> assumeTrue(false)); }"),
    ("ATest.java", "@Test(enabled = true) void adds() { } import org.junit.Ignore;"),
    ("AService.java", '@Retry(name = "backend") String call() { }'),
    ("ASpec.groovy", '@IgnoreIf({ os.windows })\ndef "adds"() { }'),
    ("ATest.kt", "fun adds() { val config = client.config(enabled = flag) }"),
    ("a_test.go", 'func TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip("x")\n\t}\n}'),
    ("a_test.go", 'func TestA(t *testing.T) {\n\tswitch os {\n\tcase "a":\n\t\tt.Skip()\n\t}\n}'),
    ("a_test.go", "func TestA(t *testing.T) {\n\tif ok {\n\t\treturn\n\t}\n\tt.Skip()\n}"),
    ("a_test.go", "func TestA(t *testing.T) {\n\tif err := go(); err != nil {\n\t\tt.Skip(err)\n\t}\n}"),
    ("a_test.go", "reader.Skip(3)\ns := `t.Skip()`"),
    ("a_test.rs", "#[cfg_attr(windows, ignore)]\nfn adds() {}\n#[should_panic]\nfn more() {}"),
    ("a_test.rs", "fn a<'a>(x: &'a str) { let s = r#\"#[ignore]\"#; }"),
    ("ATests.cs", '[Theory(Skip = "x", SkipUnless = nameof(A))] public void Adds() {}'),
    ("ATests.cs", "[Fact(Skip = null)] public void Adds() {} [SkippableFact] public void B() { Skip.If(x); }"),
    ("ATests.cs", "[Ignore] public string Total { get; set; } var a = list[Ignore];"),
    ("ATests.cs", "#if WINDOWS\n[Ignore]\npublic void Adds() {}\n#endif"),
    ("ATests.cs", "public void Adds() { if (x) Assert.Ignore(); }"),
    ("a_test.cc", "TEST(A, b) { if (!ok) GTEST_SKIP(); }\n// TEST(A, DISABLED_c)"),
    ("a_test.cc", "#ifdef _WIN32\nTEST(A, DISABLED_b) {}\n#endif"),
    ("a_test.cc", "#define SKIP(why) return\nvoid a() { SKIP(1); }"),
    ("a_test.cc", "#define NEEDS(x) do { \\\n  if (!(x)) \\\n    GTEST_SKIP(); \\\n} while (0)"),
    ("a_test.cpp", 'TEST_CASE("adds [.]", "[cart]") { parse("[.]"); }'),
    ("a_test.cpp", 'TEST_CASE("adds" * doctest::skip(isSlow())) {}'),
    ("ATests.swift", "func testA() throws { guard ok else { throw XCTSkip() }\n try XCTSkipIf(isSlow) }"),
    ("ATests.swift", "@Test(.disabled(if: isSlow)) func adds() {}\nbutton.disabled(true)"),
    ("ATests.swift", "@Test func a() { withKnownIssue { add() } when: { isSlow } }"),
    ("ATest.php", "<?php class A { function testA() { if (!$x) { $this->markTestSkipped(); } } }"),
    ("ATest.php", "<?php it('adds', f())->skip($isSlow); $items->skip(); collect([1])->skip(2);"),
    ("a_spec.rb", 'it "adds" do\n  skip "x" if windows?\n  skip("y") unless ready\nend'),
    ("a_spec.rb", 'it "adds" do\n  if windows?\n    skip\n  end\nend'),
    ("a_spec.rb", 'it "adds" do\n  return if windows?\n  skip\nend'),
    ("a_spec.rb", "skip = 1\nlist.skip\nit 'adds', skip: windows? do\nend\nit('a', skip: false) {}"),
    ("a_spec.rb", "x = <<~CODE\n  it 'adds' do\n    skip\n  end\nCODE"),
    ("pages_controller.rb", "def skip_page\n  skip\nend"),
    ("a_test.exs", '@tag skip: windows?()\ntest "adds" do\nend\n@tag :slow'),
    ("a_test.dart", "test('adds', () {}, skip: isWeb); list.where(skip: true); test('a', () {}, skip: false);"),
    ("test-a.R", 'test_that("a", { skip_on_cran(); if (x) skip("y"); skip_if(z) })'),
    ("a.t", "plan skip_all => 'slow' unless $ENV{ALL};"),
    ("A.Tests.ps1", "It 'adds' -Skip:$isWindows { }"),
    ("a.bats", '@test "adds" {\n  if [ "$x" ]; then\n    skip "slow"\n  fi\n  command -v git || skip\n}'),
    ("run.sh", "skip\n# pytest --deselect a"),
    ("run.sh", 'if [ "$CI" ]; then\n  pytest --deselect tests/a.py::b\nfi'),
    ("tox.ini", "# --deselect a\n; --deselect b\n[pytest]\naddopts = -x"),
    ("README.md", "it.skip('adds', f) and --deselect a"),
    ("data.json", '{"skip": true, "test": "it.skip()"}'),
]


def case_id(case: tuple[str, ...]) -> str:
    return f"{case[0]}: {case[1][:60]}"


@pytest.mark.parametrize(("path", "text", "kind", "name", "test"), SCRIPTS + OTHERS, ids=map(case_id, SCRIPTS + OTHERS))
def test_what_counts(path: str, text: str, kind: SkipKind, name: str, test: str) -> None:
    found = foreign_skips(f"tests/{path}", text.encode())

    assert [(skip.kind, skip.name, skip.test) for skip in found] == [(kind, name, test)]


@pytest.mark.parametrize(
    ("path", "text"), SCRIPTS_EXEMPT + OTHERS_EXEMPT, ids=map(case_id, SCRIPTS_EXEMPT + OTHERS_EXEMPT)
)
def test_what_does_not(path: str, text: str) -> None:
    assert foreign_skips(f"tests/{path}" if path != "pages_controller.rb" else path, text.encode()) == []


@pytest.mark.parametrize(("path", "text"), [case[:2] for case in SCRIPTS + OTHERS])
def test_every_skip_holds_a_candidate_word_in_its_own_lines(path: str, text: str) -> None:
    lines = text.encode().split(b"\n")
    for skip in foreign_skips(f"tests/{path}", text.encode()):
        assert CANDIDATE_WORDS.search(b"\n".join(lines[skip.first - 1 : skip.last]))


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"@pytest.mark.{mark}"
            for mark in ("skip", "skipif(True)", "xfail", "flaky", "retry", "quarantine", "rerun")
        ),
        *("pytest.skip('x')", "self.skipTest('x')", "raise SkipTest", "@unittest.expectedFailure", "@nottest"),
        *("collect_ignore = ['a.py']", "'--deselect'", "@flaky", "@retry(3)", "pytest.mark.reruns"),
    ],
)
def test_the_words_of_python_are_candidates(text: str) -> None:
    assert CANDIDATE_WORDS.search(text.encode())


def test_ordinary_lines_hold_no_candidate_word() -> None:
    for line in (
        b"assert total == 3",
        b"expect(total).toBe(3);",
        b"def test_exit(fail):",
        b"t.Errorf(x)",
        b"self.fail_fast",
    ):
        assert not CANDIDATE_WORDS.search(line), line


def test_places_and_reasons() -> None:
    text = dedent(
        """\
        describe('cart', () => {
          it.skip.each([
            [1],
          ])(
            'adds %s', () => {});
          it('removes', { skip: 'slow' }, () => {});
          it('clears', () => { test.skip(true, 'slow'); });
          it.skip(`fills
            up`, () => {});
        });
        """
    )

    assert foreign_skips("cart.test.js", text.encode()) == [
        Skip("skip", "it.skip.each", "adds %s", 2, 5, 3, ""),
        Skip("skip", "{ skip: true }", "removes", 6, 6, 19, "slow"),
        Skip("skip", "test.skip", "clears", 7, 7, 24, "slow"),
        Skip("skip", "it.skip", "fills up", 8, 9, 3, ""),
    ]


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("ATest.java", '@Disabled("why not")\nvoid adds() {}', "why not"),
        ("ATest.java", '@Disabled(\n  "why not")\nvoid adds() {}', "why not"),
        ("a_test.go", 'func TestA(t *testing.T) { t.Skip("why not") }', "why not"),
        ("a_test.rs", '#[ignore = "why not"]\nfn adds() {}', "why not"),
        ("ATests.cs", '[Fact(Skip = "why not")] public void A() {}', "why not"),
        ("a_spec.rb", "it \"a\" do\n  skip 'why not'\nend", "why not"),
        ("ATest.php", "<?php class A { function testA() { $this->markTestSkipped('it\\'s slow'); } }", "it's slow"),
        ("a_test.dart", "@Skip('why not')\nlibrary a;", "why not"),
        ("a_test.go", "func TestA(t *testing.T) { t.Skip(why) }", ""),
        ("a.test.js", "test('adds', (t) => t.skip('why not'));", "why not"),
    ],
)
def test_reasons_are_read_from_the_text(path: str, text: str, reason: str) -> None:
    assert [skip.reason for skip in foreign_skips(path, text.encode())] == [reason]


def test_lines_added_above_move_only_the_line_numbers() -> None:
    for path, text, *_ in SCRIPTS + OTHERS:
        before = foreign_skips(f"tests/{path}", text.encode())
        after = foreign_skips(f"tests/{path}", b"\n\n" + text.encode())
        assert after == [skip._replace(first=skip.first + 2, last=skip.last + 2) for skip in before], text


def test_bytes_that_are_no_utf_8_and_windows_line_ends_are_read() -> None:
    assert [skip.test for skip in foreign_skips("a.test.js", b"// \xff\xfe\r\nit.skip('a\xff', f);\r\n")] == ["a\ufffd"]
    found = foreign_skips(
        "a_test.go", b"func TestA(t *testing.T) {\r\n\tif x {\r\n\t\tt.Skip()\r\n\t}\r\n\tt.Skip()\r\n}\r\n"
    )
    assert [(skip.first, skip.column) for skip in found] == [(5, 2)]
    assert [skip.first for skip in foreign_skips("a.test.js", b"// one\rit.skip('adds', f);\r")] == [2]


PATHS = sorted({ending.replace("*", "tests/a_test") for ending in ENDINGS})
PIECES = sorted(
    {piece for case in SCRIPTS + OTHERS for piece in re.findall(r"\w+|\s+|[^\w\s]", case[1])}
    | {"/*", "*/", "`", '"""', "\\"}
)


@given(st.sampled_from(PATHS), st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=200))
@example("tests/a_test.ts", "it.skip(")
@example("tests/a_test.ts", "it.skip.each")
@example("tests/a_test.ts", "xit`${")
@example("tests/a_test.cs", "[Fact(Skip=")
@example("tests/a_test.rb", "skip")
@example("tests/a_test.cs", "[Ignore]")
@example("tests/a_test.php", "->skip(")
def test_any_text_is_read(path: str, text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for skip in foreign_skips(path, text.encode(errors="replace")):
        assert 1 <= skip.first <= skip.last <= len(lines)
        assert 1 <= skip.column <= len(lines[skip.first - 1]) + 1


@given(st.sampled_from(PATHS), st.binary(max_size=200))
def test_any_bytes_are_read(path: str, data: bytes) -> None:
    assert isinstance(foreign_skips(path, b"skip " + data), list)


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a_test.ts", "it('a', {skip: x"),
        ("a_test.ts", "if (x) { f("),
        ("a_test.go", "if x { return }; t.Skip() "),
        ("a_test.cs", "[Ignore] "),
        ("ATest.java", "@Ignore("),
        ("a_test.rb", "skip: true, "),
        ("a_test.cc", "#if x\nGTEST_SKIP();\n"),
        ("tox.ini", "--deselect "),
    ],
)
def test_hostile_text_takes_time_linear_in_its_length(path: str, unit: str) -> None:
    assert_linear(lambda size: partial(foreign_skips, path, unit.encode() * (size // len(unit))), 160_000)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("it['skip']('adds up', () => {});\n", ["it.skip"]),
        ('describe["skip"].each([1])("adds up", () => {});\n', ["describe.skip.each"]),
        ("it['each']([1])('adds up', () => {});\n", []),
        ("it[skip]('adds up', () => {});\n", []),
    ],
)
def test_a_word_in_brackets_is_a_word(text: str, names: list[str]) -> None:
    assert [skip.name for skip in foreign_skips("a.test.js", text.encode())] == names


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a_spec.rb", "skip\n"),
        ("a_test.exs", "@tag :skip\n"),
        ("a.test.js", "xit\n"),
        ("a.bats", "skip\n"),
        ("ATest.php", "it('a')->skip();"),
        ("pytest.ini", "addopts = --deselect a::b\n"),
    ],
)
def test_a_megabyte_of_skips_is_cut_off(path: str, unit: str) -> None:
    data = unit.encode() * (1_000_000 // len(unit))
    *skips, rest = assert_linear(lambda size: partial(foreign_skips, path, data[: size - size % len(unit)]), 1_000_000)
    assert rest == unread(MOST_PLACES + 1 if unit.endswith("\n") else 1, data.count(b"\n") + 1)
    assert len(skips) <= MOST_PLACES
