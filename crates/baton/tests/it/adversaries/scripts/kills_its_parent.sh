# ends: merged
# notices: sent SIGTERM to the process that started it
# The process that looks after it, by every signal.
cat > /dev/null
kill -KILL $PPID 2> /dev/null
kill -TERM $PPID 2> /dev/null
kill -STOP 1 2> /dev/null
kill -KILL 1 2> /dev/null
sleep 0.1
echo hello > greeting.txt
