require 'minitest/reporters'
name = ENV.fetch('REPORTER')
Minitest::Reporters.use! Minitest::Reporters.const_get(name).new
