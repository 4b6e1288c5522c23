testAdds() { # PASSES
  assertTrue 0
}
testSumsUp() {
  assertEquals 3 2 # FAILS testSumsUp
}
. shunit2
