package import WireConfig

// How what the runner says of itself is written for programs.

extension Fault {
    package var json: JSONValue {
        .members([
            "reason": .string(reason), "help": help.map(JSONValue.string), "config": origin?.json,
        ])
    }
}

extension ValueOrigin {
    package var json: JSONValue { .members(["path": .string(path), "place": .string(place)]) }
}

extension ServiceStatus {
    package var json: JSONValue {
        .members([
            "name": .string(name), "state": .string(state.name), "reason": state.reason.map(JSONValue.string),
            "help": state.fault?.help.map(JSONValue.string), "config": state.fault?.origin?.json,
            "required": .boolean(isRequired), "generation": .integer(generation), "since": .integer(Int(since)),
            "inFlight": .integer(inFlight), "restarts": .integer(restarts),
        ])
    }
}

extension RunnerStatus {
    package var json: JSONValue {
        .members([
            "phase": .string(phase.rawValue), "ready": .boolean(isReady), "app": app.map(JSONValue.string),
            "file": .string(file), "environment": environment.map(JSONValue.string),
            "environments": .array(environments.map(JSONValue.string)), "backend": .string(backend),
            "generation": .integer(generation), "hash": .string(hash), "started": .integer(Int(started)),
            "services": .array(services.map(\.json)), "faults": .array(faults.map(\.json)),
            "awaitsConfirmation": .boolean(confirmBy != nil), "confirmBy": confirmBy.map { .integer(Int($0)) },
            "rejected": rejected?.json,
        ])
    }
}

extension ChangeReport {
    package var json: JSONValue {
        .members([
            "outcome": .string(outcome.rawValue), "generation": .integer(generation),
            "environment": environment.map(JSONValue.string), "hash": .string(hash),
            "reason": reason.map(JSONValue.string), "services": .array(services.map(\.json)),
            "settings": settings.isEmpty ? nil : .array(settings.map(\.json)), "diagnostics": diagnostics,
            "diagnosticsText": diagnosticsText.map(JSONValue.string),
            "milliseconds": .integer(Int(duration.milliseconds)),
            "confirmWithinSeconds": confirmWithin.map { .integer(Int($0.components.seconds)) },
        ])
    }
}

extension ChangeReport.ServiceChange {
    package var json: JSONValue {
        .members([
            "name": .string(name), "action": .string(action.rawValue),
            "milliseconds": duration.map { .integer(Int($0.milliseconds)) }, "inFlight": .integer(inFlight),
            "fault": fault?.json,
        ])
    }
}

extension ChangeReport.SettingChange {
    package var json: JSONValue {
        .members([
            "path": .string(path), "old": old.map(JSONValue.string), "new": new.map(JSONValue.string),
            "place": place.map(JSONValue.string),
        ])
    }
}

extension GenerationRecord {
    package var json: JSONValue {
        .members([
            "generation": .integer(number), "environment": environment.map(JSONValue.string), "hash": .string(hash),
            "origin": .string(origin.rawValue), "time": .integer(Int(time)), "outcome": .string(outcome.rawValue),
            "current": .boolean(isCurrent), "awaitsConfirmation": .boolean(awaitsConfirmation),
        ])
    }
}

extension Duration {
    /// Whole milliseconds, for people and programs that need no more.
    package var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
