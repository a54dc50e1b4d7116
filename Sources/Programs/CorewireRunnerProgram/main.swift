import BuildFacts
import CorewireRunner
import WireBackends
import WireBase

Release.identify(commit: unsafe String(cString: build_commit()), compiler: unsafe String(cString: build_compiler()))
// The runner for deployment, without the embedded servers.
await RunnerMain.run(embeddedServers: MissingServers.self)
