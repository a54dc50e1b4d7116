import Corewire
import Glibc

// A program with the services of a services file inside it: it starts them, says how they are and what happens, counts its
// visits in the store, switches to another environment where one is named, and stops them. What is printed, and when it
// ends, is the program's own.
//
//     swift run EmbeddingExample mobile-services.yaml prod

let words = CommandLine.arguments.dropFirst()
guard let file = words.first else {
    print("usage: EmbeddingExample <services file> [environment]")
    exit(64)
}

/// A type of the program's own, stored as JSON.
struct Visits: Codable {
    var count = 0
}

/// Counts one more visit; of several programs that count at once, each counts.
func visit(_ namespace: Corewire.StateNamespace) async throws(Corewire.StateError) -> Int {
    while true {
        let entry = try await namespace.get("visits")
        var visits = try entry?.json(as: Visits.self) ?? Visits()
        visits.count += 1
        do throws(Corewire.StateError) {
            try await namespace.put(
                json: visits,
                under: "visits",
                if: entry.map { .version($0.version) } ?? .absent
            )
            return visits.count
        } catch  where error.code == .conflict {
            // Somebody else has counted meanwhile: what they stored is read, and counted on.
        }
    }
}

/// Says what became of counting, or why there was nothing to count with.
func tellVisit(_ corewire: Corewire) async {
    do throws(Corewire.StateError) {
        print(
            "visit \(try await visit(corewire.state["example"])) in \(corewire.environment ?? "its only environment")"
        )
    } catch {
        switch error.code {
        case .noStore: print("visits are not counted: \(error)")
        case .full, .unavailable: print("this visit is not counted, the next may be: \(error)")
        default: print("this visit cannot be counted: \(error)")
        }
    }
}

let corewire = try await Corewire.start(file: file) { entry in
    if entry.level == "error" { print("log: \(entry.module): \(entry.message)") }
}
let events = corewire.events
print("\(corewire.status.app ?? file) runs in \(corewire.environment ?? "its only environment")")
for service in corewire.status.services { print("  \(service.name) is \(service.state)") }
await tellVisit(corewire)

if let other = words.dropFirst().first {
    do {
        let status = try await corewire.use(environment: other)
        print("generation \(status.generation) runs in \(other)")
        await tellVisit(corewire)
    } catch {
        print("\(other) was refused: \(error)")
        if let diagnostics = error.diagnostics { print(diagnostics) }
    }
}

// The sequence ends when everything has stopped; what was told in the meantime is told here.
await corewire.stop()
for await event in events { print("  \(event.name)") }
print("stopped")
