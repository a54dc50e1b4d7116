import CorewireRunner
import WireEmbedded

// For development: the runner with the embedded servers.
await RunnerMain.run(embeddedServers: BackendsService.self)
