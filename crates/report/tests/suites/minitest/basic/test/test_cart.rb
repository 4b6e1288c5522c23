require 'minitest/autorun'
require_relative 'reporter' if ENV['REPORTER']

class TestCart < Minitest::Test
  def test_adds = assert(true) # PASSES

  def test_sums_up
    assert_equal 3, 1 + 1 # FAILS TestCart#test_sums_up | test_sums_up | Minitest::Result#test_sums_up
  end

  def test_raises
    raise ArgumentError, 'no such voucher' # FAILS TestCart#test_raises | test_raises | Minitest::Result#test_raises
  end

  def test_later
    skip 'later' # SKIPPED
  end
end

describe 'Voucher' do
  it 'is fine' do # PASSES
    _(2).must_equal 2
  end
  it 'is wrong' do
    _(2).must_equal 3 # FAILS Voucher#test_0002_is wrong | test_0002_is wrong | Minitest::Result#test_0002_is wrong
  end
end
