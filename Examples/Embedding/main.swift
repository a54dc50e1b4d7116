import Corewire
import Glibc

// A program with the services of a services file inside it: it starts them, says how they are and what happens, switches
// to another environment where one is named, and stops them. What is printed, and when it ends, is the program's own.
//
//     swift run EmbeddingExample mobile-services.yaml prod

let words = CommandLine.arguments.dropFirst()
guard let file = words.first else {
    print("usage: EmbeddingExample <services file> [environment]")
    exit(64)
}

let corewire = try await Corewire.start(file: file) { entry in
    if entry.level == "error" { print("log: \(entry.module): \(entry.message)") }
}
let events = corewire.events
print("\(corewire.status.app ?? file) runs in \(corewire.environment ?? "its only environment")")
for service in corewire.status.services { print("  \(service.name) is \(service.state)") }

if let other = words.dropFirst().first {
    do {
        let status = try await corewire.use(environment: other)
        print("generation \(status.generation) runs in \(other)")
    } catch {
        print("\(other) was refused: \(error)")
        if let diagnostics = error.diagnostics { print(diagnostics) }
    }
}

// The sequence ends when everything has stopped; what was told in the meantime is told here.
await corewire.stop()
for await event in events { print("  \(event.name)") }
print("stopped")
