import Corewire
import CorewireEmbedded
import Glibc

// A program that embeds the services of a services file: it starts the services, prints their state and events, counts its
// visits in the store, signs a user in with '--sign-in', switches to another environment where one is named, and stops the
// services. The program itself decides what it prints and when it ends.
//
//     swift run EmbeddingExample mobile-services.yaml prod
//     swift run EmbeddingExample mobile-services.yaml --sign-in

let words = CommandLine.arguments.dropFirst().filter { $0 != "--sign-in" }
guard let file = words.first else {
    print("usage: EmbeddingExample <services file> [environment] [--sign-in]")
    exit(64)
}

/// A type of the program's own, stored as JSON.
struct Visits: Codable {
    var count = 0
}

/// Counts one more visit; of several programs that count at once, each counts.
func visit(_ namespace: Corewire.StateNamespace) async throws(CorewireError) -> Int {
    while true {
        let entry = try await namespace.get("visits")
        var visits = try entry?.json(as: Visits.self) ?? Visits()
        visits.count += 1
        do throws(CorewireError) {
            try await namespace.put(
                json: visits,
                under: "visits",
                if: entry.map { .version($0.version) } ?? .absent
            )
            return visits.count
        } catch  where error.code == .preconditionFailed {
            // Somebody else has counted meanwhile: what they stored is read, and counted on.
        }
    }
}

/// Says what became of counting, or why there was nothing to count with.
func tellVisit(_ corewire: Corewire) async {
    do throws(CorewireError) {
        print(
            "visit \(try await visit(corewire.state["example"])) in \(corewire.environment ?? "its only environment")"
        )
    } catch {
        switch error.code {
        case .noService: print("visits are not counted: \(error)")
        case .full, .storeUnavailable: print("this visit is not counted, the next may be: \(error)")
        default: print("this visit cannot be counted: \(error)")
        }
    }
}

/// Follows a sign-in to its end, whether this program has begun it or another one of the group.
func signIn(_ auth: Corewire.Auth) async {
    do throws(CorewireError) {
        for await state in auth.changes {
            switch state {
            case .signedOut(.some(.failed)), .signedOut(.some(.cancelled)):
                return print("no user is signed in: \(auth.trouble?.guidance ?? "the sign-in was cancelled")")
            case .signedOut: try await begin(auth)
            case .signingIn(.open(let url)): print("open \(url)")
            case .signingIn(.enter(let code, let place, _)): print("enter \(code) at \(place)")
            case .signingIn(.none): print("wait a moment")
            case .signedIn(let user):
                let token = try await auth.token()
                return print("\(user.name ?? user.subject) is signed in, with a \(token)")
            case .appSignedIn: return print("the app is signed in, with a \(try await auth.token())")
            case .locked: return print("a user is signed in, and the session is locked")
            case .blocked(let guidance): return print(guidance)
            }
        }
    } catch {
        print("no user is signed in: \(error.guidance)")
    }
}

/// Begins a sign-in; another program may have signed in first, which is no failure.
func begin(_ auth: Corewire.Auth) async throws(CorewireError) {
    do throws(CorewireError) {
        _ = try await auth.signIn()
    } catch  where error.code == .signedIn {
        // The next change has the user.
    }
}

var configuration = Corewire.Configuration(file: file)
// For environments with 'backend: embedded'; a program that is deployed leaves it and the import out.
configuration.embeddedServers = .included
configuration.log = { entry in
    if entry.level >= .error { print("log: \(entry.module): \(entry.message)") }
}
let corewire = try await Corewire.start(configuration)
let events = corewire.events
print("\(corewire.status.app ?? file) runs in \(corewire.environment ?? "its only environment")")
for service in corewire.status.services { print("  \(service.name) is \(service.state)") }
await tellVisit(corewire)
if CommandLine.arguments.contains("--sign-in") {
    if corewire.auth.state == nil { print("\(file) has no sign-in") } else { await signIn(corewire.auth) }
}

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
