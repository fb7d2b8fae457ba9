/** Filesystems on which several processes cannot share a SQLite file in write-ahead mode. */
const NETWORK_FILESYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x5346414f, "AFS"],
  [0x01021997, "9P"],
]);

/** The name of the network filesystem with this type number; undefined for any other. */
export const toNetworkFilesystem = (type: number): string | undefined => NETWORK_FILESYSTEMS.get(type >>> 0);
