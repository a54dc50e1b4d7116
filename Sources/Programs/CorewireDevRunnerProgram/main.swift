import CorewireRunner
import WireEmbedded

// The runner for development, with the embedded servers.
await RunnerMain.run(embeddedServers: BackendsService.self)
