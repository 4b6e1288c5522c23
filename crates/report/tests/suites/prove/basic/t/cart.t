use Test::More;

ok(1, 'adds a thing'); # PASSES
is(1 + 1, 3, 'sums up'); # FAILS sums up | t/cart.t sums up
SKIP: {
    skip 'later', 1;
    ok(1, 'is for later'); # SKIPPED
}
TODO: {
    local $TODO = 'to be written';
    ok(0, 'is to be written'); # SKIPPED
}
subtest 'voucher' => sub {
    ok(1, 'is fine');
    ok(0, 'is wrong'); # FAILS voucher > is wrong | voucher | is wrong | t/cart.t voucher
};
done_testing;
