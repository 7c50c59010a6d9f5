/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A SecY in front of a link: a struct netio that protects frames before another struct netio
 * sends them, and validates those that it receives. The port behind it sees the Controlled Port,
 * and MAC Control as the PFC Multiplexer decides (pfc_mux.h).
 *
 *   port -- send() ----------> secy_protect() -----------------> link
 *   port -- send_control() --> secy_protect() if mode is all --> link
 *   port -- send_stamped() --> secy_protect() if the caller says so --> link
 *   port <-- sink ------------ secy_validate(), PFC Multiplexer <-- link
 *
 * So bridge, station and queues see the Controlled Port, and the frames of memory ports and dcbsim
 * cost nothing. Frames are protected out of place, because one frame can be queued for several
 * ports.
 *
 * PFC frames overtake data frames that wait in the kernel. With one transmit SC the receiver would
 * then discard these as replayed, so PFC frames wait too; with two, PFC frames have the second one
 * (P802.1Qdt 36.5) and overtake.
 *
 * LLDPDUs to a reserved address are received without protection: lldpd, which sends
 * and receives them, is a user of the Uncontrolled Port. In mode data HMPDUs are too: requests
 * take the path of PFC frames (P802.1Qdt 36.9.5).
 *
 * An SA that has used up the packet numbers of its key is followed by the next AN that has
 * some, with the next frame.
 */
#ifndef DCB_MACSEC_NETIO_SECY_H
#define DCB_MACSEC_NETIO_SECY_H

#include "dataplane/macsec/port_macsec.h"
#include "dataplane/netio/netio.h"

/* Octets by which a frame on the link can be longer than at the port. */
#define NETIO_SECY_OCTETS (SECY_HEADROOM + SECY_TAILROOM)

/*
 * Returns a back end for a port, in front of link, which receives frames of
 * frame_octets + NETIO_SECY_OCTETS. Closing it closes link; *macsec is the caller's, and the
 * dataplane thread's while it is in use. NULL: there is no memory.
 */
struct netio *netio_secy_open(struct netio *link, struct port_macsec *macsec,
			      uint32_t frame_octets);

/* Returns the back end behind the SecY; io itself if that is no SecY. */
struct netio *netio_secy_link(struct netio *io);

#endif
