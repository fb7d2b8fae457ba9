/**
 * Filesystems on which several processes cannot share a SQLite file in write-ahead mode. FUSE stands for all that it carries, such as sshfs,
 * rclone and virtiofs, which has the same number: what another machine writes there is not seen in shared memory.
 */
const NETWORK_FILESYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x5346414f, "AFS"],
  [0x01021997, "9P"],
  [0x65735546, "FUSE or virtiofs"],
  [0x00c36400, "Ceph"],
  [0x73757245, "Coda"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
  [0x786f4256, "VirtualBox shared folder"],
]);

/** The name of the network filesystem with this type number; undefined for any other. */
export const toNetworkFilesystem = (type: number): string | undefined => NETWORK_FILESYSTEMS.get(type >>> 0);
