# ends: merged
# The server itself, on this machine's loopback device.
cat > /dev/null
python3 - <<'PY'
import urllib.request
urllib.request.getproxies = lambda: {}
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    opener.open("@FORGE@/", timeout=3)
    raise SystemExit(1)
except OSError:
    pass
open("greeting.txt", "w").write("hello\n")
PY
