# ends: merged
# notices: left ports open, which were closed: 0.0.0.0:47114
# A way in from outside that stays open.
cat > /dev/null
python3 - <<'PY' > /dev/null 2>&1 &
import socket, time
server = socket.create_server(("0.0.0.0", 47114))
time.sleep(3600)
PY
echo hello > greeting.txt
sleep 0.3
