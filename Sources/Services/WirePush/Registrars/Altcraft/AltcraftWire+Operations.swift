import WireConfig
import WireHTTP
import WirePushContract

/// The requests to the Altcraft platform by operation.
extension AltcraftWire: PushWire {
    var server: String { address.below("") }

    func facts(_ moment: PushRequestValues) -> String {
        var moment = moment
        (moment.time, moment.id) = (0, "")
        let call = subscribe(ProviderToken(.apns, ""), .subscribed, AltcraftParameters(account), moment)
        return "\(call.address)\n\(String(decoding: call.body, as: UTF8.self))"
    }

    /// Each request has an id of its own, in the field of the outbox.
    func call(_ operation: PushOperation, _ moment: PushRequestValues) -> PushCall? {
        var call = request(operation, moment)
        call?.idField = nil
        return call
    }

    private func request(_ operation: PushOperation, _ moment: PushRequestValues) -> PushCall? {
        switch operation.kind {
        case .register: return moment.token.map { subscribe($0, .subscribed, parameters(moment), moment) }
        case .unregister: return moment.known.map { subscribe($0, .unsubscribed, parameters(moment), moment) }
        case .suspend: return moment.known.map { subscribe($0, .suspended, parameters(moment), moment) }
        case .unsuspend: return moment.known.map { unsuspend($0, id: moment.id) }
        case .update:
            guard let former = moment.former, let token = moment.token else { return nil }
            return update(former, token, id: moment.id)
        case .delivery, .open, .dismiss:
            guard let event = operation.kind.event, let push = operation.push else { return nil }
            return eventCall(event, of: push, moment)
        case .profile: return changeProfile(parameters(moment), id: moment.id)
        case .mobileEvent: return MobileEvent(kept: moment.words).map { eventCall($0, moment) }
        case .status: return moment.query.map { status($0, moment.token, id: moment.id) }
        }
    }

    /// The parameters stored with the request, or those of the file.
    private func parameters(_ moment: PushRequestValues) -> AltcraftParameters {
        let given = moment.words.isEmpty ? nil : try? JSONValue(parsing: moment.words, named: "parameters")
        var parameters = given.map { AltcraftParameters($0) } ?? AltcraftParameters(account)
        if moment.endsOthers { parameters.replace = true }
        return parameters
    }
}
