/** What the grammar knows of the place that it attacks: an attacker knows all of it but the secrets. */

export type Terrain = {
  readonly home: string;
  readonly workspace: string;
  readonly base: string;
  readonly state: string;
  readonly token: string;
  /** Of the listener on the machine's loopback. */
  readonly port: number;
  readonly abstractSocket: string;
  /** Of a socket in the memory that all programs share. */
  readonly sharedSocket: string;
  /** The command line of Retinue itself. */
  readonly command: string;
};
