import Corewire
import CorewireEmbedded

var configuration = Corewire.Configuration(file: "mobile-services.yaml")
configuration.embeddedServers = .included  // for 'backend: embedded'; leave it out of a released app

let corewire = try await Corewire.start(configuration)
print("started \(corewire.status.app ?? "the app"), environment \(corewire.environment ?? "none")")

do throws(CorewireError) {
    print("access token: \(try await corewire.auth.token())")
} catch {
    print("no access token: \(error): \(error.guidance)")
}

let events = corewire.events
let values = corewire.state["connect-swift"]
let receipt = try await values.put(json: ["text": "hello"], under: "greeting")
print("stored a value, version \(receipt.version.number)")
print("read \(try await values.get("greeting")?.text ?? "nothing")")
try await values.clear()

for await event in events where event.name == "state.cleared" {
    print("event \(event.name): \(event.json)")
    break
}
await corewire.stop()
