package import WireConfig

/// Something that happened in the app, as Altcraft's pixel takes it.
package struct MobileEvent: Sendable {
    /// The pixel it is for (`sid`).
    package var siteID: String
    package var name: String
    /// Who it is, as the web SDK knows it (`altcraftClientID`).
    package var clientID: String?
    package var payload: JSONValue?
    /// The id of the push it comes from.
    package var push: String?
    package var matchingType: String?
    package var matching: JSONValue?
    package var subscription: JSONValue?
    package var profileFields: JSONValue?
    package var utm: UTM

    /// Where somebody came from, as links tell it.
    package struct UTM: Sendable {
        package var campaign: String?
        package var content: String?
        package var keyword: String?
        package var medium: String?
        package var source: String?
        package var temp: String?

        package init() {}
    }

    package init(siteID: String, name: String) {
        (self.siteID, self.name, utm) = (siteID, name, UTM())
    }

    /// Why a server would not understand it, and where that is; nil where it would.
    package var flaw: (member: String, reason: String)? {
        if siteID.isEmpty { return ("sid", "expected the id of a pixel") }
        let lines: [(String, String?)] = [
            ("name", name), ("sid", siteID), ("clientId", clientID), ("push", push), ("matchingType", matchingType),
            ("utm", utm.campaign), ("utm", utm.content), ("utm", utm.keyword), ("utm", utm.medium),
            ("utm", utm.source), ("utm", utm.temp),
        ]
        // The parts of a form are lines.
        for case (let member, let text?) in lines
        where text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f }) {
            return (member, "expected text without control characters")
        }
        return nil
    }

    /// The parts of the form, in the order of the SDKs (RFC 7578).
    func body(_ boundary: String, seconds: Int, minutesAhead: Int, matching claimed: JSONValue?) -> [UInt8] {
        let texts: [(String, String?)] = [
            // West of UTC, as JavaScript counts.
            ("tz", "\(-minutesAhead)"), ("t", "\(seconds)"), ("aci", clientID), ("wn", name),
            ("mm", matchingType ?? claimed?["matching"]?.string), ("cn", utm.campaign), ("cc", utm.content),
            ("ck", utm.keyword), ("cm", utm.medium), ("cs", utm.source), ("ct", utm.temp),
        ]
        let values: [(String, JSONValue?)] = [
            ("wd", payload), ("mi", push.map(JSONValue.string)), ("ma", matching ?? claimed), ("sn", subscription),
            ("pf", profileFields),
        ]
        var form = ""
        for case (let name, let text?) in texts {
            form += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n"
        }
        for case (let name, let value?) in values {
            form += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
            form += "Content-Type: application/json\r\n\r\n\(value.text())\r\n"
        }
        return Array("\(form)--\(boundary)--\r\n".utf8)
    }

    // MARK: As it is kept while it waits

    var json: JSONValue {
        .members([
            "sid": .string(siteID), "name": .string(name), "clientId": clientID.map(JSONValue.string),
            "payload": payload, "push": push.map(JSONValue.string),
            "matchingType": matchingType.map(JSONValue.string), "matching": matching,
            "subscription": subscription, "profileFields": profileFields,
            "utm": .members([
                "campaign": utm.campaign.map(JSONValue.string), "content": utm.content.map(JSONValue.string),
                "keyword": utm.keyword.map(JSONValue.string), "medium": utm.medium.map(JSONValue.string),
                "source": utm.source.map(JSONValue.string), "temp": utm.temp.map(JSONValue.string),
            ]),
        ])
    }

    init?(_ json: JSONValue) {
        guard let siteID = json["sid"]?.string, let name = json["name"]?.string else { return nil }
        self.init(siteID: siteID, name: name)
        (clientID, payload, push) = (json["clientId"]?.string, json["payload"], json["push"]?.string)
        (matchingType, matching) = (json["matchingType"]?.string, json["matching"])
        (subscription, profileFields) = (json["subscription"], json["profileFields"])
        utm.campaign = json["utm"]?["campaign"]?.string
        utm.content = json["utm"]?["content"]?.string
        utm.keyword = json["utm"]?["keyword"]?.string
        utm.medium = json["utm"]?["medium"]?.string
        utm.source = json["utm"]?["source"]?.string
        utm.temp = json["utm"]?["temp"]?.string
    }
}
