"""What is known of Discord's REST, as two tables: the routes, and the shapes of what is sent and answered.

A shape is a table of fields. `name!` must be there. What a field holds is said in these words:

    text 1..100        a string of so many characters          id          a snowflake, as text or number
    whole 0..25        a whole number, as text too             number 0..  any number
    flag               true or false                           time        a moment in ISO 8601
    is 4 5             one of these whole numbers              word a b    one of these words
    list 1..5 of X     so many of X                            set of X    the same, none twice
    map ..34 of X      text keys, so many entries              anything    whatever it is
    button             what the shape of that name says        a | b       one of several
    …?                 or null

Bounds may be left open at either end. Of several shapes, the one whose `type` fits is meant. A field that a
shape does not name is a fault; what Discord sends (`sent …`) may have more.
"""

from __future__ import annotations

COLOUR = "whole 0..16777215?"
SMALL = "whole -9007199254740991..9007199254740991"  # what a double holds exactly
IDS = "set ..100 of id?"
BLOCKS = "row | section | text display | gallery | file | separator"

PART = {"id": "whole 0..?"}  # of every component
CHOOSER = PART | {
    "custom_id!": "text 1..100",
    "placeholder": "text ..150?",
    "min_values": "whole 0..25?",
    "max_values": "whole 1..25?",
    "disabled": "flag?",
    "required": "flag?",
}
UPTO_TEN = {"min_values": "whole 0..10?", "max_values": "whole 1..10?", "required": "flag?"}
BOX = {
    "label!": "text 1..100",
    "value!": "text 1..100",
    "description": "text ..100?",
    "default": "flag?",
}
PICTURE = {
    "url": "text ..2048?",
    "width": "whole?",
    "height": "whole?",
    "placeholder": "text ..64?",
    "placeholder_version": "whole 0..2147483647?",
    "is_animated": "flag?",
    "description": "text ..4096?",
}

EDITED = {
    "content": "text ..2000?",
    "embeds": "list ..10 of embed?",
    "allowed_mentions": "mentions?",
    "components": f"list ..40 of {BLOCKS} | container?",
    "attachments": "list ..10 of attachment?",
    "flags": "whole?",
    "tts": "flag?",  # means nothing in an edit; discord.py sends it all the same
}
POSTED = EDITED | {
    "content": "text ..4000?",
    "sticker_ids": "list ..3 of id?",
    "poll": "poll?",
    "shared_client_theme": "anything",
}

CHANNEL = {
    "type": "is 0 2 4 5 13 14 15?",
    "position": "whole 0..?",
    "topic": "text ..4096?",
    "bitrate": "whole 8000..?",
    "user_limit": "whole 0..?",
    "nsfw": "flag?",
    "rate_limit_per_user": "whole 0..21600?",
    "parent_id": "id?",
    "permission_overwrites": "list ..100 of overwrite?",
    "rtc_region": "text?",
    "video_quality_mode": "is 1 2?",
    "default_auto_archive_duration": "is 60 1440 4320 10080?",
    "default_reaction_emoji": "reaction?",
    "default_thread_rate_limit_per_user": "whole 0..21600?",
    "default_sort_order": "is 0 1?",
    "default_forum_layout": "is 0 1 2?",
    "default_tag_setting": "word match_all match_some?",
    "available_tags": "list ..20 of tag?",
}
THREAD = {
    "name!": "text 1..100",
    "auto_archive_duration": "is 60 1440 4320 10080?",
    "rate_limit_per_user": "whole 0..21600?",
}

NAMED = {
    "name!": "text 1..32",
    "name_localizations": "map ..34 of text 1..32?",
    "description_localizations": "map ..34 of text 1..100?",
}
COMMAND = NAMED | {
    "description": "text ..100?",
    "options": (
        "list ..25 of subcommand | group | text option | whole option | number option | flag option"
        " | channel option | entity option?"
    ),
    "default_member_permissions": "whole 0..18014398509481983?",
    "dm_permission": "flag?",
    "contexts": "set 1.. of is 0 1 2?",
    "integration_types": "set 1.. of is 0 1?",
    "handler": "is 1 2?",
    "type": "is 1 2 3 4?",
    "nsfw": "flag?",
}
OPTION = NAMED | {"description!": "text 1..100", "required": "flag?"}
LEAVES = "text option | whole option | number option | flag option | channel option | entity option"
CHOICE = {"name!": "text 1..100", "name_localizations": "map ..34 of text 1..100?"}

SHAPES: dict[str, dict[str, str]] = {
    # messages, by the way they are sent
    "message": POSTED
    | {
        "message_reference": "reference?",
        "nonce": "text ..25 | whole -9223372036854775808..9223372036854775807?",
        "enforce_nonce": "flag?",
    },
    "message edit": EDITED | {"content": "text ..4000?", "sticker_ids": "list of id?"},
    "followup": EDITED
    | {
        "poll": "poll?",
        "username": "text 1..80?",
        "avatar_url": "text ..2048?",
        "thread_name": "text ..100?",
        "applied_tags": "list ..5 of id?",
    },
    "followup edit": EDITED | {"poll": "poll?"},
    "mentions": {
        "parse": "set of word users roles everyone?",
        "users": IDS,
        "roles": IDS,
        "replied_user": "flag?",
    },
    "reference": {
        "message_id!": "id",
        "channel_id": "id?",
        "guild_id": "id?",
        "fail_if_not_exists": "flag?",
        "type": "is 0?",
    },
    "attachment": {
        "id!": "id",
        "filename": "text 1..1024?",
        "description": "text ..1024?",
        "title": "text ..1024?",
        "duration_secs": "number 0..2147483647?",
        "waveform": "text ..400?",
        "is_spoiler": "flag?",
        "is_remix": "flag?",
        # an edit that keeps an attachment: discord.py sends back all that it knows of it
        **dict.fromkeys(
            ("url", "proxy_url", "size", "spoiler", "content_type", "height", "width"),
            "text | whole | flag?",
        ),
    },
    "poll": {
        "question!": "poll line",
        "answers!": "list 1..10 of poll answer",
        "allow_multiselect": "flag?",
        "layout_type": "is 1?",
        "duration": "whole 1..768?",
    },
    "poll line": {"text": "text 1..300?", "emoji": "poll emoji?"},
    "poll answer": {"poll_media!": "poll line"},
    "poll emoji": {"id": "id?", "name": "text ..32?", "animated": "flag?"},
    "embed": {
        "type": "text?",
        "url": "text ..2048?",
        "title": "text ..256?",
        "description": "text ..4096?",
        "color": COLOUR,
        "timestamp": "time?",
        "author": "embed author?",
        "footer": "embed footer?",
        "provider": "embed provider?",
        "fields": "list ..25 of embed field?",
        **dict.fromkeys(("image", "thumbnail", "video"), "embed picture?"),
        "flags": "text | whole | flag?",  # discord.py sends it, Discord takes it
    },
    "embed author": {"name": "text ..256?", "url": "text ..2048?", "icon_url": "text ..2048?"},
    "embed footer": {"text": "text ..2048?", "icon_url": "text ..2048?"},
    "embed provider": {"name": "text ..256?", "url": "text ..2048?"},
    "embed field": {"name!": "text ..256", "value!": "text ..1024", "inline": "flag?"},
    "embed picture": PICTURE,
    # components of messages
    "row": PART
    | {
        "type!": "is 1",
        "components!": "list 1..5 of button | menu | user menu | role menu | mention menu | channel menu",
    },
    "button": PART
    | {
        "type!": "is 2",
        "style!": "is 1 2 3 4 5 6",
        "label": "text ..80?",
        "emoji": "emoji?",
        "custom_id": "text 1..100?",
        "url": "text ..512?",
        "sku_id": "id?",
        "disabled": "flag?",
    },
    "emoji": {"name!": "text ..32", "id": "id?"},
    "menu": CHOOSER | {"type!": "is 3", "options!": "list 1..25 of menu option"},
    "menu option": BOX | {"emoji": "emoji?"},
    "user menu": CHOOSER | {"type!": "is 5", "default_values": "list ..25 of user default?"},
    "role menu": CHOOSER | {"type!": "is 6", "default_values": "list ..25 of role default?"},
    "mention menu": CHOOSER | {"type!": "is 7", "default_values": "list ..25 of mention default?"},
    "channel menu": CHOOSER
    | {
        "type!": "is 8",
        "default_values": "list ..25 of channel default?",
        "channel_types": "set of channel type?",
    },
    "user default": {"type!": "word user", "id!": "id"},
    "role default": {"type!": "word role", "id!": "id"},
    "mention default": {"type!": "word user role", "id!": "id"},
    "channel default": {"type!": "word channel", "id!": "id"},
    "section": PART
    | {
        "type!": "is 9",
        "components!": "list 1..3 of text display",
        "accessory!": "button | thumbnail",
    },
    "text display": PART | {"type!": "is 10", "content!": "text 1..4000"},
    "thumbnail": PART
    | {"type!": "is 11", "media!": "media", "description": "text 1..1024?", "spoiler": "flag?"},
    "gallery": PART | {"type!": "is 12", "items!": "list 1..10 of gallery item"},
    "gallery item": {"media!": "media", "description": "text 1..1024?", "spoiler": "flag?"},
    "media": {"url!": "text ..2048"},
    "file": PART | {"type!": "is 13", "file!": "media", "spoiler": "flag?"},
    "separator": PART | {"type!": "is 14", "spacing": "is 1 2?", "divider": "flag?"},
    "container": PART
    | {
        "type!": "is 17",
        "components!": f"list 1..40 of {BLOCKS}",
        "accent_color": COLOUR,
        "spoiler": "flag?",
    },
    # answers to interactions
    "message answer": {"type!": "is 4 5", "data": "answer?"},
    "answer": EDITED | {"poll": "poll?"},
    "update answer": {"type!": "is 6 7", "data": "answer edit?"},
    "answer edit": EDITED,
    "choices answer": {"type!": "is 8", "data!": "text choices | whole choices | number choices"},
    "modal answer": {"type!": "is 9", "data!": "modal"},
    "bare answer": {"type!": "is 1 12"},
    **{
        f"{kind} choices": {"choices": f"list ..25 of {kind} choice?"} for kind in ("text", "whole", "number")
    },
    "modal": {
        "custom_id!": "text 1..100",
        "title!": "text 1..45",
        "components!": "list 1..40 of input row | label | text display",
    },
    "input row": PART | {"type!": "is 1", "components!": "list 1..5 of input"},
    "label": PART
    | {
        "type!": "is 18",
        "label!": "text 1..45",
        "description": "text 1..100?",
        "component!": (
            "input | menu | user menu | role menu | mention menu | channel menu | upload | radio group"
            " | check group | check box"
        ),
    },
    "input": PART
    | {
        "type!": "is 4",
        "custom_id!": "text 1..100",
        "style!": "is 1 2",
        "label": "text 1..45?",
        "value": "text ..4000?",
        "placeholder": "text ..100?",
        "required": "flag?",
        "min_length": "whole 0..4000?",
        "max_length": "whole 1..4000?",
    },
    "upload": PART | UPTO_TEN | {"type!": "is 19", "custom_id!": "text 1..100"},
    "radio group": PART
    | {
        "type!": "is 21",
        "custom_id!": "text 1..100",
        "required": "flag?",
        "options!": "list 2..10 of box option",
    },
    "check group": PART
    | UPTO_TEN
    | {"type!": "is 22", "custom_id!": "text 1..100", "options!": "list 1..10 of box option"},
    "check box": PART | {"type!": "is 23", "custom_id!": "text 1..100", "default": "flag?"},
    "box option": BOX,
    # application commands
    "command": COMMAND,
    "command of a list": COMMAND | {"id": "id?"},
    "command edit": {
        name.rstrip("!"): held for name, held in COMMAND.items() if name not in ("type", "nsfw")
    },
    "subcommand": OPTION | {"type!": "is 1", "options": f"list ..25 of {LEAVES}?"},
    "group": OPTION | {"type!": "is 2", "options": "list ..25 of subcommand?"},
    "text option": OPTION
    | {
        "type!": "is 3",
        "autocomplete": "flag?",
        "choices": "list ..25 of text choice?",
        "min_length": "whole 0..6000?",
        "max_length": "whole 1..6000?",
    },
    "whole option": OPTION
    | {
        "type!": "is 4",
        "autocomplete": "flag?",
        "choices": "list ..25 of whole choice?",
        "min_value": f"{SMALL}?",
        "max_value": f"{SMALL}?",
    },
    "flag option": OPTION | {"type!": "is 5"},
    "channel option": OPTION | {"type!": "is 7", "channel_types": "set of channel type?"},
    "entity option": OPTION | {"type!": "is 6 8 9 11"},  # user, role, mentionable, attachment
    "number option": OPTION
    | {
        "type!": "is 10",
        "autocomplete": "flag?",
        "choices": "list ..25 of number choice?",
        "min_value": "number?",
        "max_value": "number?",
    },
    "text choice": CHOICE | {"value!": "text ..6000"},
    "whole choice": CHOICE | {"value!": SMALL},
    "number choice": CHOICE | {"value!": "number"},
    # channels, threads, roles
    "direct channel": {
        "recipient_id": "id?",
        "access_tokens": "set of text?",
        "nicks": "map of text?",
    },
    "thread from message": THREAD,
    "thread alone": THREAD | {"type": "is 10 11 12?", "invitable": "flag?"},
    "forum post": THREAD | {"applied_tags": "list ..5 of id?", "message!": "first post"},
    "first post": {name: held for name, held in POSTED.items() if name != "tts"},
    "channel": CHANNEL | {"name!": "text 1..100"},
    "channel edit": CHANNEL | {"name": "text 1..100", "flags": "whole?"},
    "thread edit": {
        "name": "text ..100?",
        "archived": "flag?",
        "locked": "flag?",
        "invitable": "flag?",
        "auto_archive_duration": "is 60 1440 4320 10080?",
        "rate_limit_per_user": "whole 0..21600?",
        "flags": "whole?",
        "applied_tags": "list ..5 of id?",
        "bitrate": "whole 8000..?",
        "user_limit": "whole 0..99?",
        "rtc_region": "text?",
        "video_quality_mode": "is 1 2?",
    },
    "group edit": {"name": "text ..100?", "icon": "text?"},
    "overwrite": {"id!": "id", "type": "is 0 1?", "allow": "whole?", "deny": "whole?"},
    "overwrite alone": {"type": "is 0 1?", "allow": "whole?", "deny": "whole?"},
    "reaction": {"emoji_id": "id?", "emoji_name": "text ..100?"},
    "tag": {
        "name!": "text ..50",
        "id": "id?",
        "emoji_id": "id?",
        "emoji_name": "text ..100?",
        "moderated": "flag?",
    },
    "ids": {"messages!": "set 2..100 of id"},
    "role": {
        "name": "text 1..100?",
        "permissions": "whole?",
        "color": COLOUR,
        "colors": "role colours?",
        "hoist": "flag?",
        "mentionable": "flag?",
        "icon": "text?",
        "unicode_emoji": "text ..100?",
    },
    "role colours": dict.fromkeys(("primary_color", "secondary_color", "tertiary_color"), COLOUR),
    "new emoji": {"name!": "text 2..32", "image!": "text"},
    # what Discord sends: the fields that readers lean on
    "sent user": {"id!": "id", "username!": "text", "discriminator!": "text", "global_name!": "text?"},
    "sent member": {
        "user": "sent user",
        "roles!": "list of id",
        "nick": "text?",
        "joined_at!": "time?",
        "flags!": "whole",
        "communication_disabled_until": "time?",
    },
    "sent role": {
        "id!": "id",
        "name!": "text",
        "permissions!": "whole",
        "position!": "whole",
        "color!": "whole",
        "managed!": "flag",
        "mentionable!": "flag",
    },
    "sent channel": {
        "id!": "id",
        "type!": "channel type",
        "name": "text?",
        "guild_id": "id",
        "parent_id": "id?",
        "position": "whole",
        "topic": "text?",
        "permission_overwrites": "list of overwrite",
        "recipients": "list of sent user",
        "owner_id": "id",
        "thread_metadata": "sent thread facts",
        "rate_limit_per_user": "whole",
    },
    "sent thread facts": {
        "archived!": "flag",
        "locked": "flag",
        "auto_archive_duration!": "is 60 1440 4320 10080",
        "archive_timestamp!": "time",
    },
    "sent thread member": {"id": "id", "user_id": "id", "join_timestamp!": "time", "flags!": "whole"},
    "sent file": {
        "id!": "id",
        "filename!": "text",
        "size!": "whole 0..",
        "url!": "text",
        "proxy_url!": "text",
        "width": "whole?",
        "height": "whole?",
    },
    "sent message": {
        "id!": "id",
        "channel_id!": "id",
        "author!": "sent user",
        "type!": "whole 0..",
        "content!": "text ..4000",
        "timestamp!": "time",
        "edited_timestamp!": "time?",
        "tts!": "flag",
        "pinned!": "flag",
        "flags": "whole",
        "mention_everyone!": "flag",
        "mentions!": "list of sent user",
        "mention_roles!": "list of id",
        "attachments!": "list of sent file",
        "embeds!": "list of anything",
        "components": "list of anything",
        "nonce": "text ..25 | whole",
        "webhook_id": "id",
        "application_id": "id",
        "interaction_metadata": "anything",
        "thread": "sent channel",
        "message_reference": "anything",
        "referenced_message": "sent message?",
    },
    "sent guild": {
        "id!": "id",
        "name!": "text",
        "owner_id!": "id",
        "preferred_locale!": "text",
        "roles!": "list of sent role",
        "channels": "list of sent channel",
        "threads": "list of sent channel",
        "members": "list of sent member",
    },
    "sent command": {
        "id!": "id",
        "application_id!": "id",
        "guild_id": "id",
        "version!": "id",
        "type!": "is 1 2 3 4",
        "name!": "text 1..32",
        "description!": "text ..100",
        "default_member_permissions!": "whole?",
        "options": "list ..25 of anything",
    },
    "sent application": {
        "id!": "id",
        "name!": "text",
        "description!": "text",
        "verify_key!": "text",
        "bot_public!": "flag",
    },
    "sent gateway": {"url!": "text", "shards": "whole 1..", "session_start_limit": "anything"},
    "sent callback": {"interaction!": "anything", "resource": "anything"},
    "sent threads": {
        "threads!": "list of sent channel",
        "members!": "list of sent thread member",
        "has_more!": "flag",
    },
    "sent pins": {"items!": "list of anything", "has_more!": "flag"},
    "sent emojis": {"items!": "list of sent emoji"},
    "sent emoji": {"id!": "id?", "name!": "text?", "animated": "flag", "available": "flag"},
    "sent interaction": {
        "id!": "id",
        "application_id!": "id",
        "type!": "is 2 3 4 5",
        "token!": "text 1..",
        "version!": "is 1",
        "data!": "sent act",
        "channel_id!": "id",
        "channel!": "sent channel",
        "guild_id": "id",
        "guild_locale": "text",
        "locale!": "text",
        "member": "sent member",
        "user": "sent user",
        "message": "sent message",
        "app_permissions!": "whole",
        "entitlements!": "list of anything",
        "authorizing_integration_owners!": "map of id",
        "attachment_size_limit!": "whole 0..",
        "context": "is 0 1 2",
    },
    "sent act": {
        "id": "id",
        "name": "text 1..32",
        "type": "is 1 2 3 4",
        "options": "list of anything",
        "custom_id": "text 1..100",
        "component_type": "is 2 3 5 6 7 8",
        "values": "list of text",
        "components": "list of anything",
        "resolved": "anything",
    },
    "sent ready": {
        "v!": "is 10",
        "user!": "sent user",
        "guilds!": "list of anything",
        "session_id!": "text",
        "resume_gateway_url!": "text",
        "application!": "anything",
        "shard": "list 2..2 of whole",
    },
}

# Other names for one field's words.
WORDS = {"channel type": "is 0 1 2 3 4 5 10 11 12 13 14 15"}

# method, path, what is sent, what is answered where it went well (nothing: a dash).
ROUTES = """
GET     /gateway                                          -                     sent gateway
GET     /gateway/bot                                      -                     sent gateway
GET     /users/@me                                        -                     sent user
GET     /users/{}                                         -                     sent user
POST    /users/@me/channels                               direct channel        sent channel
DELETE  /users/@me/guilds/{}                              -                     -
GET     /oauth2/applications/@me                          -                     sent application
GET     /applications/@me                                 -                     sent application
GET     /applications/{}/emojis                           -                     sent emojis
POST    /applications/{}/emojis                           new emoji             sent emoji
DELETE  /applications/{}/emojis/{}                        -                     -
GET     /applications/{}/commands                         -                     list of sent command
PUT     /applications/{}/commands                         commands              list of sent command
POST    /applications/{}/commands                         command               sent command
GET     /applications/{}/commands/{}                      -                     sent command
PATCH   /applications/{}/commands/{}                      command edit          sent command
DELETE  /applications/{}/commands/{}                      -                     -
GET     /applications/{}/guilds/{}/commands               -                     list of sent command
PUT     /applications/{}/guilds/{}/commands               commands              list of sent command
POST    /applications/{}/guilds/{}/commands               command               sent command
GET     /applications/{}/guilds/{}/commands/{}            -                     sent command
PATCH   /applications/{}/guilds/{}/commands/{}            command edit          sent command
DELETE  /applications/{}/guilds/{}/commands/{}            -                     -
POST    /interactions/{}/{}/callback                      callback              sent callback?
POST    /webhooks/{}/{}                                   followup              sent message
GET     /webhooks/{}/{}/messages/{}                       -                     sent message
PATCH   /webhooks/{}/{}/messages/{}                       followup edit         sent message
DELETE  /webhooks/{}/{}/messages/{}                       -                     -
GET     /channels/{}                                      -                     sent channel
PATCH   /channels/{}                                      any channel edit      sent channel
DELETE  /channels/{}                                      -                     sent channel
GET     /channels/{}/messages                             -                     list ..100 of sent message
POST    /channels/{}/messages                             message               sent message
POST    /channels/{}/messages/bulk-delete                 ids                   -
GET     /channels/{}/messages/{}                          -                     sent message
PATCH   /channels/{}/messages/{}                          message edit          sent message
DELETE  /channels/{}/messages/{}                          -                     -
POST    /channels/{}/messages/{}/threads                  thread from message   sent channel
POST    /channels/{}/threads                              any thread            sent channel
GET     /channels/{}/threads/archived/public              -                     sent threads
GET     /channels/{}/threads/archived/private             -                     sent threads
GET     /channels/{}/thread-members                       -                     list of sent thread member
GET     /channels/{}/thread-members/{}                    -                     sent thread member
PUT     /channels/{}/thread-members/{}                    -                     -
DELETE  /channels/{}/thread-members/{}                    -                     -
POST    /channels/{}/typing                               -                     anything
GET     /channels/{}/messages/pins                        -                     sent pins
PUT     /channels/{}/messages/pins/{}                     -                     -
DELETE  /channels/{}/messages/pins/{}                     -                     -
GET     /channels/{}/pins                                 -                     list of sent message
PUT     /channels/{}/pins/{}                              -                     -
DELETE  /channels/{}/pins/{}                              -                     -
PUT     /channels/{}/permissions/{}                       overwrite alone       -
DELETE  /channels/{}/permissions/{}                       -                     -
GET     /guilds/{}                                        -                     sent guild
GET     /guilds/{}/channels                               -                     list of sent channel
POST    /guilds/{}/channels                               channel               sent channel
GET     /guilds/{}/threads/active                         -                     sent threads
GET     /guilds/{}/members                                -                     list of sent member
GET     /guilds/{}/members/search                         -                     list of sent member
GET     /guilds/{}/members/{}                             -                     sent member
PUT     /guilds/{}/members/{}/roles/{}                    -                     -
DELETE  /guilds/{}/members/{}/roles/{}                    -                     -
GET     /guilds/{}/roles                                  -                     list of sent role
POST    /guilds/{}/roles                                  role                  sent role
DELETE  /guilds/{}/roles/{}                               -                     -
"""

# Bodies that are no single shape.
BODIES = {
    "callback": "message answer | update answer | choices answer | modal answer | bare answer",
    "commands": "list ..130 of command of a list?",
    "any thread": "thread alone | forum post",
    "any channel edit": "thread edit | channel edit | group edit",
}
EVENTS = {
    "INTERACTION_CREATE": "sent interaction",
    "MESSAGE_CREATE": "sent message",
    "MESSAGE_UPDATE": "sent message",
    "GUILD_CREATE": "sent guild",
    "READY": "sent ready",
    "CHANNEL_CREATE": "sent channel",
    "CHANNEL_UPDATE": "sent channel",
    "CHANNEL_DELETE": "sent channel",
    "THREAD_CREATE": "sent channel",
    "THREAD_UPDATE": "sent channel",
    "GUILD_MEMBER_UPDATE": "sent member",
}
