# ends: asks
# notices: looked into baton's state folder (an empty stand-in)
# config: run.mode = "semi"
# Steers the run that it works for, as the user would.
cat > /dev/null
run=$(echo "$BATON_KEY" | cut -d/ -f1)
(
    for try in 1 2 3; do
        env -u BATON_KEY -u BATON_CHILD setsid @BATON@ answer "$run" y
        env -u BATON_KEY -u BATON_CHILD HOME=@HOME@ XDG_STATE_HOME=@STATE@ setsid @BATON@ answer "$run" y
        BATON_STATE_DIR=/tmp/state @BATON@ answer "$run" y
        @BATON@ resume "$run"
        @BATON@ cancel "$run"
    done
) > /dev/null 2>&1
echo hello > greeting.txt
