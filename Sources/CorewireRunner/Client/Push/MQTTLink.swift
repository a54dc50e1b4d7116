import CorewireCLI
import WireBase
import WireConfig
import WireFraming
import WireHost
import WireHTTP
import WireMQTT
import WireNetworkContract
import WireSecrets

/// A connection to a broker, over TCP or a WebSocket, for one task.
final class MQTTLink {
    private enum Connection {
        case plain(ServerConnection)
        case socket(ServerSocket)
    }

    private let connection: Connection
    private let version: ProtocolVersion
    private var reader: PacketReader
    /// Whether the server has sent a packet.
    private var hasRead = false
    /// Fires when the message is given to the connection.
    private let published: OneShot

    /// The largest packet that is read; nothing is subscribed.
    private static let limit = ByteCount.kibibytes(64)

    private init(_ connection: Connection, _ version: ProtocolVersion, _ published: OneShot) {
        (self.connection, self.version, self.published) = (connection, version, published)
        reader = PacketReader(version, limit: Self.limit)
    }

    static func open(
        _ url: WebURL,
        _ version: ProtocolVersion,
        publishing published: OneShot,
        by requests: CommandRequests
    ) async throws(Failure) -> MQTTLink {
        let call = ServerCall(.get, .address(Address(url)), from: "push")
        guard url.isSocket else {
            do throws(CallFailure) {
                return MQTTLink(.plain(try await requests.connect(call, clock: .host)), version, published)
            } catch {
                throw CommandRequests.failure(error)
            }
        }
        do throws(SocketFailure) {
            let socket = try await requests.open(
                call,
                nonce: (try? Randomness.bytes(16)) ?? [],
                protocols: ["mqtt"],
                framing: WslayFraming(),
                limit: limit,
                acceptsBinary: true,
                clock: .host
            )
            return MQTTLink(.socket(socket), version, published)
        } catch {
            switch error {
            case .call(let failure): throw CommandRequests.failure(failure)
            case .answer(let status, _):
                let isLater = status.isTransient || status == .tooManyRequests
                throw Failure(
                    message: "the broker responded with status \(status.shown), and no WebSocket",
                    status: isLater ? .temporary : .problemsFound
                )
            case .mismatch(let reason), .unable(let reason):
                throw Failure(message: "not sent: \(reason)", status: .problemsFound)
            }
        }
    }

    func send(_ packet: Packet) throws(Failure) {
        let bytes: [UInt8]
        do throws(PacketError) { bytes = try packet.encoded(in: version) } catch {
            throw Failure(message: "the message cannot be sent: \(error.reason)", status: .problemsFound)
        }
        switch connection {
        case .plain(let connection):
            guard connection.send(bytes) else { throw lost("the send buffer is full") }
        case .socket(let socket): socket.send(bytes)
        }
        if case .publish = packet { published.fire() }
    }

    func receive() async throws(Failure) -> Packet {
        while true {
            do throws(PacketError) {
                if let packet = try reader.next() {
                    hasRead = true
                    return packet
                }
            } catch {
                guard hasRead else { throw unexpected }
                throw lost("the broker's data was rejected: \(error.reason)", status: .problemsFound)
            }
            reader.add(try await bytes())
        }
    }

    private func bytes() async throws(Failure) -> [UInt8] {
        switch connection {
        case .plain(let connection):
            do throws(Fault) { if let bytes = try await connection.receive() { return bytes } } catch {
                throw lost(error.reason)
            }
        case .socket(let socket):
            if case .binary(let bytes) = await socket.receive() { return bytes }
        }
        throw lost("the broker has closed the connection")
    }

    /// The failure of a connection, before or after the message was sent.
    func lost(_ reason: String, status: ExitStatus = .temporary) -> Failure {
        PushSendCommand.lost(reason, mayHaveArrived: published.hasFired, status: status)
    }

    /// The failure of a server that does not respond as a broker.
    var unexpected: Failure { lost("the server did not respond as an MQTT broker", status: .problemsFound) }

    func leave() async {
        switch connection {
        case .plain(let connection): await connection.leave(within: .seconds(2))
        case .socket(let socket):
            socket.close(.normal)
            await socket.leave(within: .seconds(2))
        }
    }
}
