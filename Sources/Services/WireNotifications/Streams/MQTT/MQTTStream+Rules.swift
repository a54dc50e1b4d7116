import WireBase
import WireConfig
import WireMQTT
import WireNetworkContract
import WireNotificationContract

extension MQTTStream {
    func check(_ path: String, _ checks: inout Checks) {
        checks.checkNeeds(of: self, at: $needs, path)
        checkAddress(path, &checks)
        checkQuality(path, &checks)
        checkTopics(path, &checks)
        checkVariables(path, &checks)
        checkCredentials(path, &checks)
        if version == .v3, $sessionExpiry.isWritten {
            checks.report(
                .mqttSession,
                at: $sessionExpiry,
                "\(path).session is for version 5: with 3.1.1 the broker decides how long it keeps messages",
                help: "remove it, or write \(setting: "version: 5")",
                related: $version.isWritten ? ($version, "the version is set here") : nil
            )
        }
    }

    /// A path is of a WebSocket; over TCP it would be ignored.
    private func checkAddress(_ path: String, _ checks: inout Checks) {
        guard $url.isWritten, let broker = url.absolute, broker.isBroker,
            !["", "/"].contains(broker.path) || broker.query != nil
        else { return }
        checks.report(
            .streamAddress,
            at: $url,
            "\(path).url has a path, which only a broker over a WebSocket has",
            help: "remove it, or write wss://"
        )
    }

    private func checkQuality(_ path: String, _ checks: inout Checks) {
        if qos > 1 {
            checks.report(
                .mqttQoS,
                at: $qos,
                "\(path).qos is \(qos): at most 1 is supported",
                help: "write \(setting: "qos: 1"), and 'id' to recognize repeated messages"
            )
        } else if qos == 1, fields.$id.state == .absent, $topics.isWritten {
            checks.report(
                .mqttWithoutID,
                at: $topics,
                "\(path) has no 'id', so a message can become a notification twice",
                help: "write \(setting: "id: …"), the field of a message or the user property with its id"
            )
        }
    }

    // MARK: Topics

    private func checkTopics(_ path: String, _ checks: inout Checks) {
        if $topics.isWritten {
            for (index, topic) in topics.enumerated() where TopicFilter(topic.probe) == nil {
                checks.report(
                    .invalidTopic,
                    at: $topics,
                    "\(path).topics.\(index) is not a filter of topics",
                    help: "a filter has '+' for one level and '#' for all that follow, each between slashes"
                )
            }
            if topics.count > Self.mostTopics {
                checks.report(
                    .invalidTopic,
                    at: $topics,
                    "\(path).topics has \(topics.count) filters: at most \(Self.mostTopics) are allowed",
                    help: "use wildcards"
                )
            }
        }
        if let status, status.$topic.isWritten, TopicName(status.topic.probe) == nil {
            checks.report(
                .invalidTopic,
                at: status.$topic,
                "\(path).status.topic is not the name of a topic",
                help: "write a name without '+' and '#'"
            )
        }
    }

    private static let mostTopics = 50

    // MARK: Variables

    private func checkVariables(_ path: String, _ checks: inout Checks) {
        check(clientID, at: $clientID, "\(path).clientId", &checks)
        for topic in topics { check(topic, at: $topics, "\(path).topics", &checks) }
        if let status { check(status.topic, at: status.$topic, "\(path).status.topic", &checks) }
    }

    private func check(_ template: Template, at place: Place, _ path: String, _ checks: inout Checks) {
        for variable in Set(template.variables).sorted() {
            if !MQTTIdentity.variables.contains(variable) {
                checks.report(
                    .streamVariable,
                    at: place,
                    "\(path) uses the unknown variable \(variable.quoted)",
                    help: "write one of \(MQTTIdentity.variables.map { "{{ \($0) }}" }.listed())"
                )
            } else if variable == "user", needs?.contains(.user) != true, $needs.state != .uncertain {
                checks.report(
                    .streamVariable,
                    at: place,
                    "\(path) uses 'user', and the stream is read without a user too",
                    help: "write \(setting: "needs: [user]")"
                )
            }
        }
    }

    private func checkCredentials(_ path: String, _ checks: inout Checks) {
        if $username.state == .absent, $password.state != .absent {
            checks.report(
                .streamCredentials,
                at: $password,
                "\(path) has a 'password' without a 'username'",
                help: "write both"
            )
        }
        if clientID.text.isEmpty {
            checks.report(
                .streamCredentials,
                at: $clientID,
                "\(path).clientId is empty",
                help: "write an id that is different for each device, such as \"{{ deviceId }}\""
            )
        }
    }
}

extension NotificationsSection {
    /// Checks that no two streams are the same client of a broker, which would take the session from each other.
    func checkClientIDs(_ checks: inout Checks) {
        var known: [String: (name: String, place: Place)] = [:]
        for item in streams.items {
            guard let stream = item.value.source as? MQTTStream, stream.$url.isWritten,
                stream.$clientID.state != .uncertain
            else { continue }
            let server = stream.url.absolute?.server ?? stream.url.text
            let key = "\(server) \(stream.clientID.text.replacing("{{ stream }}", with: item.name))"
            guard let other = known[key] else {
                known[key] = (item.name, item.namePlace)
                continue
            }
            checks.report(
                .mqttClientID,
                at: item.namePlace,
                "notifications.streams.\(item.name) has the 'clientId' of \(other.name.quoted) at the same broker",
                help: "write \(setting: "clientId: \"{{ deviceId }}-{{ stream }}\""), or read all topics in one stream",
                related: (other.place, "the first is here")
            )
        }
    }
}

extension Template {
    /// The text with a letter for each placeholder.
    fileprivate var probe: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value: "x"
            }
        }.joined()
    }
}
