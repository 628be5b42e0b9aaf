# Ruby's own tests of fiddle, run in the directory of Ruby's sources: fiddle_suite.rb [SEAL] [OPTION FOR THE TESTS]... SEAL is a
# library with the function seal(), which is called after all tests are loaded and slots are reserved.
require "test/unit"
require "core_assertions"
require "objspace" # a test loads it
Test::Unit::TestCase.include(Test::Unit::CoreAssertions)
Dir["test/fiddle/test_*.rb"].sort.each { |file| require "./#{file}" }
$stdout.sync = true

if ARGV[0]&.end_with?(".so")
  begin
    reserve = Fiddle.dlopen(nil)["shim_reserve"]
    raise "reserve" unless Fiddle::Function.new(reserve, [Fiddle::TYPE_SIZE_T], Fiddle::TYPE_INT).call(16384) == 0 # a test makes 10,000 closures
  rescue Fiddle::DLError
    # without the shim
  end
  seal = Fiddle::Function.new(Fiddle.dlopen(ARGV.shift)["seal"], [], Fiddle::TYPE_INT)
  raise "seal" unless seal.call == 0
end
