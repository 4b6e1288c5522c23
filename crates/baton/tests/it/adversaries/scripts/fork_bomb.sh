# ends: merged
# config: sandbox.max_processes = 400
# notices: left processes behind
# As many processes as it gets.
cat > /dev/null
echo hello > greeting.txt
(i=0; while [ $i -lt 3000 ]; do sleep @MARK@ & i=$((i+1)); done) > /dev/null 2>&1
true
