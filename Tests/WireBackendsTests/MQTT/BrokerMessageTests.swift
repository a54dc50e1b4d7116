import Support
import Testing

@Suite("Messages of the MQTT broker", .enabled(if: MQTTPeers.areThere), .timeLimit(.minutes(2)))
struct BrokerMessageTests {
    @Test("a message of mosquitto_pub comes to clients of both versions, over TCP and a WebSocket")
    func published() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            let names = ["five", "three", "socket"]
            let options = [
                "{}", #"{"version":4}"#, #"{"transport":"websockets"}"#,
            ]
            for (name, options) in zip(names, options) {
                #expect(try await peers.open(name, options).hasPrefix("00 false"))
                #expect(try await peers.subscribe(name, #"{"filter":"wards/+/alarms","qos":2}"#) == "01")
            }
            let run = try peers.mosquitto("Bed 4 is free", to: "wards/3B/alarms")
            #expect(run.status == 0, "\(run.everything)")
            for name in names {
                let got = try await peers.got(name, times: 1)
                #expect(got == [#"{"topic":"wards/3B/alarms","text":"Bed 4 is free","qos":1}"#])
            }
            #expect(try peers.mosquitto("a", to: "wards/3B/alarms", ["-q", "0", "-V", "311"]).status == 0)
            for name in names {
                #expect(try await peers.got(name, times: 2).last == #"{"topic":"wards/3B/alarms","text":"a","qos":0}"#)
            }
        }
    }

    @Test("the properties of a message are passed on, and what is left of its expiry")
    func properties() async throws {
        let clock = HandClock()
        try await BrokerHouse.run(clock: clock) { broker in
            let peers = broker.peers
            try await peers.open("ada", #"{"clean":false,"expiry":600}"#)
            try await peers.subscribe("ada", #"{"filter":"a/b","id":7}"#)
            try await peers.subscribe("ada", #"{"filter":"a/#","qos":0,"id":8}"#)
            try await broker.cut("ada")
            try await peers.open("bob")
            let code = try await peers.publish(
                "bob",
                #"{"topic":"a/b","text":"x","MessageExpiryInterval":60,"ContentType":"text/plain","ResponseTopic":"r/s","CorrelationData":"c","PayloadFormatIndicator":1,"UserProperty":[["k","1"],["k","2"]]}"#
            )
            #expect(code == "00")
            #expect(try await peers.publish("bob", #"{"topic":"a/b","text":"y","MessageExpiryInterval":5}"#) == "00")
            clock.pass(.seconds(10))
            #expect(try await peers.open("ada", #"{"clean":false,"expiry":600}"#).hasPrefix("00 true"))
            try await peers.publish("bob", #"{"topic":"a/b","text":"z"}"#)
            let got = try await peers.got("ada", times: 2)
            #expect(
                got == [
                    #"{"topic":"a/b","text":"x","qos":1,"MessageExpiryInterval":50,"ContentType":"text/plain","ResponseTopic":"r/s","CorrelationData":"c","PayloadFormatIndicator":1,"UserProperty":[["k","1"],["k","2"]],"SubscriptionIdentifier":[7,8]}"#,
                    #"{"topic":"a/b","text":"z","qos":1,"SubscriptionIdentifier":[7,8]}"#,
                ]
            )
        }
    }

    @Test("retained messages come to new subscribers, as the options of a subscription say")
    func retained() async throws {
        let folder = try TemporaryFolder()
        try await BrokerHouse.run(in: folder) { broker in
            let peers = broker.peers
            try await peers.open("bob")
            try await peers.publish("bob", #"{"topic":"a","text":"old","retain":true}"#)
            try await peers.publish("bob", #"{"topic":"a","text":"new","retain":true}"#)
            try await peers.publish("bob", #"{"topic":"b","text":"gone","retain":true}"#)
            try await peers.publish("bob", #"{"topic":"b","text":"","retain":true}"#)
        }
        try await BrokerHouse.run(in: folder) { broker in
            let peers = broker.peers
            try await peers.open("ada")
            try await peers.subscribe("ada", ##"{"filter":"#"}"##)
            let kept = #"{"topic":"a","text":"new","qos":1,"retain":true}"#
            #expect(try await peers.got("ada", times: 1) == [kept])
            try await peers.subscribe("ada", ##"{"filter":"#","handling":1}"##)
            try await peers.subscribe("ada", ##"{"filter":"#","handling":2}"##)
            try await peers.subscribe("ada", #"{"filter":"+","handling":2}"#)
            try await peers.subscribe("ada", #"{"filter":"a","handling":1,"asPublished":true}"#)
            // With the same filter again, and a live message with the flag as it was published.
            try await peers.open("bob")
            try await peers.publish("bob", #"{"topic":"a","text":"live","retain":true}"#)
            let got = try await peers.got("ada", times: 3)
            #expect(got == [kept, kept, #"{"topic":"a","text":"live","qos":1,"retain":true}"#])
        }
    }

    @Test("a message is not for its own publisher with 'no local'; topics with '$' do not match wildcards")
    func ownMessages() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada")
            try await peers.subscribe("ada", #"{"filter":"a/#","noLocal":true}"#)
            try await peers.subscribe("ada", ###"{"filter":"#","qos":0,"noLocal":true}"###)
            #expect(try await peers.publish("ada", #"{"topic":"a/b","text":"own"}"#) == "10")
            try await peers.open("bob")
            #expect(try await peers.publish("bob", #"{"topic":"$a","text":"no"}"#) == "10")
            #expect(try await peers.publish("bob", #"{"topic":"a/b","text":"yes"}"#) == "00")
            #expect(try await peers.got("ada", times: 1) == [#"{"topic":"a/b","text":"yes","qos":1}"#])
        }
    }

    @Test("the members of a shared subscription get each message once, in turn, connected ones first")
    func shared() async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            for name in ["ada", "bob"] {
                try await peers.open(name, #"{"clean":false,"expiry":600}"#)
                try await peers.subscribe(name, #"{"filter":"$share/g/jobs/#"}"#)
            }
            try await peers.open("eve")
            for number in 1...4 { try await peers.publish("eve", #"{"topic":"jobs/1","text":"\#(number)"}"#) }
            _ = try await peers.got("ada", times: 2)
            _ = try await peers.got("bob", times: 2)
            try await broker.cut("bob")
            for number in 5...6 { try await peers.publish("eve", #"{"topic":"jobs/1","text":"\#(number)"}"#) }
            #expect(try await peers.got("ada", times: 4).count == 4)
            #expect(peers.got("bob").count == 2)
        }
    }

    @Test("a will is published when the connection is lost, and not after DISCONNECT", arguments: [4, 5])
    func wills(version: Int) async throws {
        try await BrokerHouse.run { broker in
            let peers = broker.peers
            try await peers.open("ada")
            try await peers.subscribe("ada", #"{"filter":"status/#"}"#)
            let will = #"{"version":\#(version),"will":["status/bob","offline",1,true]}"#
            try await peers.open("bob", will)
            try await peers.close("bob")
            try await peers.open("bob", will)
            try await peers.cut("bob")
            #expect(
                try await peers.got("ada", times: 1) == [#"{"topic":"status/bob","text":"offline","qos":1}"#]
            )
            try await peers.open("eve")
            try await peers.subscribe("eve", #"{"filter":"status/bob"}"#)
            #expect(
                try await peers.got("eve", times: 1) == [
                    #"{"topic":"status/bob","text":"offline","qos":1,"retain":true}"#
                ]
            )
            #expect(peers.got("ada").count == 1)
        }
    }
}
