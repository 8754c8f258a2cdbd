-- a comment
return {
  type = "animation_editor",
  version = 1,
  data = {
    nodes = {
    },
    animations = {
      {
        animation_id = "a",
        duration = 1,
        animation_keys = {
          {
            key_type = "tween",
            node_id = "n",
            property_id = "p",
            duration = 1,
            end_value = 1,
          },
        },
      },
    },
  },
}
