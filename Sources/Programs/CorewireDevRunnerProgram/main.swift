import BuildFacts
import CorewireRunner
import WireBase
import WireEmbedded

Release.identify(commit: unsafe String(cString: build_commit()), compiler: unsafe String(cString: build_compiler()))
// The runner for development, with the embedded servers.
await RunnerMain.run(embeddedServers: BackendsService.self)
