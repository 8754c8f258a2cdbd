return (function() local t = {} for i = 1, 3 do t[i] = { animation_id = "a" .. i, animation_keys = {} } end return { data = { animations = t } } end)()
