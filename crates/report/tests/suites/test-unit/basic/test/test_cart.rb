require 'test/unit'

class TestCart < Test::Unit::TestCase
  def test_adds; assert(true); end # PASSES

  def test_sums_up
    assert_equal 3, 1 + 1 # FAILS TestCart#test_sums_up
  end

  def test_raises
    raise ArgumentError, 'no such voucher' # FAILS TestCart#test_raises
  end

  def test_later
    omit 'later' # SKIPPED
  end

  data('one' => 1, 'two' => 2)
  def test_data(n) # PASSES
    assert_equal 1, n # FAILS TestCart#test_data[two] | TestCart#test_data
  end

  sub_test_case 'voucher' do
    test 'is wrong' do
      flunk 'no' # FAILS TestCart::voucher#test: is wrong | voucher(TestCart)#test: is wrong | voucher#test: is wrong
    end
  end
end
