/* region_to_workgroups.h - see region_to_workgroups.c. */
#ifndef NORIA_PASS_DISPATCH_REGION_TO_WORKGROUPS_H
#define NORIA_PASS_DISPATCH_REGION_TO_WORKGROUPS_H

#include "pass/core/pass.h"

/* Replaces a flow.dispatch.region of the host program by a flow.dispatch.workgroups without a count region, that is, of
 * one workgroup, and erases it. A pass that tiles the body changes the loads and stores, and adds the workload and the
 * count region. NULL in *out_workgroups, and an error, where a captured value cannot be passed. */
NrStatus nr_region_to_workgroups(NrOp *region, NrOp **out_workgroups);

/* Whether op runs in a workgroup or in a parallel loop, where a region is not a dispatch of its own. */
bool nr_runs_in_workgroup(const NrOp *op);

#endif
