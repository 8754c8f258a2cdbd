// SPDX-FileCopyrightText: 2026 The Troupe authors
// SPDX-License-Identifier: MIT
//
// All of Troupe. In order of use: pack.h opens files, sample.h gives poses, blend.h mixes them,
// model.h turns them into skinning palettes; playhead.h moves time on, event.h and root_motion.h
// tell what happened meanwhile.
#ifndef TROUPE_TROUPE_H
#define TROUPE_TROUPE_H

#include <troupe/base.h>
#include <troupe/blend.h>
#include <troupe/blendtree.h>
#include <troupe/clip.h>
#include <troupe/easing.h>
#include <troupe/event.h>
#include <troupe/humanoid.h>
#include <troupe/instance.h>
#include <troupe/model.h>
#include <troupe/pack.h>
#include <troupe/playhead.h>
#include <troupe/pose.h>
#include <troupe/property.h>
#include <troupe/root_motion.h>
#include <troupe/sample.h>
#include <troupe/skeleton.h>
#include <troupe/sync.h>
#include <troupe/track.h>

#endif
