# ends: merged
# notices: left processes behind, which were ended
# Processes that leave their group, their session and their parents.
cat > /dev/null
setsid sleep @MARK@ > /dev/null 2>&1 &
(setsid sh -c 'sleep @MARK@ & sleep @MARK@' > /dev/null 2>&1 &)
sh -c '(sleep @MARK@ &) &' > /dev/null 2>&1
env -i setsid sleep @MARK@ > /dev/null 2>&1 &
echo hello > greeting.txt
sleep 0.2
