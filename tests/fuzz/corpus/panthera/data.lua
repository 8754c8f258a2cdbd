-- All that is read of the language.
return --[==[ ]] ]=] ]==] {
    type = "animation_editor"; version = 1.0,
    data = {
        ["name"] = 'a\65\x42\u{20AC}\z
            b\
c',
        metadata = { fps = 0x3C, layers = {}, template_animation_paths = { t = require "no.file" } },
        nodes = { { node_id = [[n]], position_x = -1.5e1, position_y = .5, text = 7, visible = true } },
        animations = {
            [2] = { animation_id = "b", duration = - -1 },
            [1] = {
                animation_id = ("a"), duration = 0x.8p1, initial_state = nil,
                animation_keys = {
                    { key_type = 0, node_id = "n", property_id = "text", start_time = 0.5, data = 12.50 },
                    { key_type = 1, node_id = "n", property_id = "position_x", end_value = 3., duration = 1,
                      easing_custom = { 0, 2, 1 } },
                    { key_type = "animation", property_id = "b", duration = 1 },
                    { key_type = "tween", node_id = 1, property_id = "broken" },
                },
            },
        },
    },
};
