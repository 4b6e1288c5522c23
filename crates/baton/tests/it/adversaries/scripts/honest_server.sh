# ends: merged
# unnoticed
# Tests start servers on this machine all the time.
cat > /dev/null
python3 - <<'PY'
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b"hello\n")).start()
greeting = socket.create_connection(server.getsockname()).recv(20)
open("greeting.txt", "wb").write(greeting)
PY
