import Corewire
import CorewireEmbedded

func startForDevelopment() async throws -> Corewire {
    var configuration = Corewire.Configuration(file: "services.yaml")
    configuration.embeddedServers = .included
    return try await Corewire.start(configuration)
}
