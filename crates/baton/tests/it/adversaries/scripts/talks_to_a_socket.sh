# ends: merged
# A key agent, a container engine or baton itself would listen on such a socket.
cat > /dev/null
python3 - <<'PY'
import socket
for path in ["@HOME@/socket", "/run/docker.sock", "/var/run/docker.sock"]:
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        raise SystemExit(1)
    except OSError:
        pass
open("greeting.txt", "w").write("hello\n")
PY
