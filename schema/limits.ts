/**
 * Every limit and constant that several parts read. Units are in the names. Source: decision 61,
 * section 9, for those that it lists.
 */
export const limits = {
  username: { minLength: 2, maxLength: 30 },
  formerNamesMax: 5,
  password: { minLength: 6, maxBytes: 72 },
  emailMaxLength: 254,
  nameMaxLength: 50,
  aboutMaxLength: 150,
  settingsMaxLength: 16 * 1024,
  whatsAppProfileMaxLength: 2 * 1024,
  /** How long after a customer's last message free text is allowed; then only templates are. */
  whatsAppWindowMs: 24 * 60 * 60 * 1000,
  reportReasonMinLength: 5,
  reportReasonMaxLength: 2_000,
  /** So many messages may come with a report, so long each. */
  reportedMessagesMax: 5,
  reportedTextMaxLength: 1_000,
  /** How long a report is kept, whoever has left meanwhile. */
  reportsKeptMs: 365 * 24 * 60 * 60 * 1000,
  /** How long a deleted account's name is kept for its email; as long as reports about it, if there are any. */
  freedNameHeldMs: 30 * 24 * 60 * 60 * 1000,
  /** Each admits one person, for so many days. */
  invitationsPerPerson: { max: 10, windowMs: 24 * 60 * 60 * 1000 },
  invitationDays: 7,
  reportsPerReporter: { max: 20, windowMs: 60 * 60 * 1000 },

  messageMaxCharacters: 65_536,
  /** As many characters of any script as above, with the facts of a file, sealed. */
  sealedMaxCharacters: 280_000,
  previewMaxCharacters: 40,
  unreadBadgeMax: 99,
  pageOfMessages: 50,
  pageOfMessagesMax: 200,
  answerMaxBytes: 4 * 1024 * 1024,
  bulkDeleteMax: 1_000,
  unreadCountMax: 10_000,
  starredMax: 1_000,
  mediaPathPrefix: '/api/media/',
  previewMaxLength: 2_000,
  forwardRecipientsMax: 50,
  /** People named in one message after an @. */
  mentionsMax: 50,
  sharedFileMaxBytes: 100_000_000,
  sharedFilesMax: 30,
  voiceMaxMs: 15 * 60 * 1000,
  waveformMaxParts: 64,

  /** What a message says of the page behind an address; lengths in UTF-16 units. */
  linkPreview: {
    urlMaxLength: 2_048,
    titleMaxLength: 200,
    descriptionMaxLength: 300,
    /** As a data URL: some 6 kB. */
    pictureMaxLength: 8_000,
    pageMaxBytes: 512 * 1024,
    pictureMaxBytes: 1024 * 1024,
    redirectsMax: 3,
    /** For the page and its picture together. */
    fetchMs: 8_000,
  },
  linkPreviewsPerPerson: { max: 120, windowMs: 60 * 60 * 1000 },

  groups: {
    membersMax: 1_024,
    /** Memberships of all times: each message reads the list of them. */
    membershipsMax: 4_096,
    nameMaxLength: 100,
    descriptionMaxLength: 2_048,
    /** The list of conversations names so many members of each group, and counts so many unread. */
    membersListed: 20,
    unreadCountMax: 1_000,
    createdPerDay: { max: 100, windowMs: 24 * 60 * 60 * 1000 },
    /** People that somebody brings into groups, over all of them. */
    addedPerHour: { max: 2_048, windowMs: 60 * 60 * 1000 },
    /** By links, also those that only ask. */
    joinedPerHour: { max: 60, windowMs: 60 * 60 * 1000 },
    /** So many may wait for one group's admins. */
    waitingMax: 500,
    inviteUsesMax: 100_000,
  },

  usersListMax: 1_000,
  userSearchMax: 50,
  userSearchMinLength: 2,
  userSearchDebounceMs: 300,
  phoneSearchMinDigits: 3,
  phoneSearchMax: 20,
  phoneLookups: { max: 60, windowMs: 60 * 1000 },
  phoneLookupMinDigits: 10,
  phoneDigits: { min: 10, max: 15 },

  pictureInputMaxBytes: 5 * 1024 * 1024,
  pictureOutputMaxBytes: 2 * 1024 * 1024,
  pictureBox: { width: 800, height: 600, quality: 0.8 },
  /** px of a sticker's longer side. */
  sticker: { side: 512, quality: 0.9 },

  typingShownMs: 3_000,
  typingEmitEveryMs: 300,
  typingStopAfterMs: 1_000,
  markReadAfterMs: 1_000,
  searchHighlightMs: 2_000,

  socketReconnectDelayMs: 1_000,
  socketReconnectAttempts: 5,
  socketTimeoutMs: 20_000,
  socketFrameMaxBytes: 16 * 1024,
  socketPingEveryMs: 25_000,
  socketsPerPersonMax: 20,
  presenceGraceMs: 10_000,
  usersOnlineMax: 500,
  watchedPeopleMax: 100,

  jsonBodyMaxBytes: 512 * 1024,
  failedSignIns: { max: 10, perAddressMax: 100, windowMs: 15 * 60 * 1000 },
  derivationsPerAddress: { max: 300, windowMs: 15 * 60 * 1000 },
  registrationsPerAddress: { max: 100, windowMs: 60 * 60 * 1000 },
  apiTimeoutMs: 15_000,
  uploadTimeoutMs: 5 * 60_000,
  uploadSlowestBytesPerSecond: 8 * 1024,
  /** An upload in pieces is stored in steps of this size: a break loses no more than one. */
  uploadPieceBytes: 256 * 1024,
  /** How many of its uploads a device checks per request after a restore. */
  askedUploadsMax: 100,
  retryHelper: { retries: 3, baseDelayMs: 1_000, timeoutMs: 10_000 },
  userLookup: { retries: 2, baseDelayMs: 2_000 },

  syncPollMaxMs: 25_000,
  syncBatchMaxDocuments: 1_000,
  syncBodyMaxBytes: 8 * 1024 * 1024,

  signInsMax: 100,
  signInKeptMs: 30 * 24 * 60 * 60 * 1000,
  signInOnceMs: 12 * 60 * 60 * 1000,

  deviceLinks: {
    /** How long each step may take: scanning, confirming, signing in. */
    stepMs: 2 * 60 * 1000,
    waitMaxMs: 25_000,
    openPerNetworkMax: 200,
    keptMax: 10_000,
    begunPerAddress: { max: 300, windowMs: 15 * 60 * 1000 },
    unknownPerCaller: { max: 60, windowMs: 15 * 60 * 1000 },
  },

  recentEmojiMax: 14,
  longPressMs: 500,
  mobileBelowPx: 768,
  tabletBelowPx: 1_024,
} as const

/** The default About text. Source: decision 61, section 3. */
export const defaultAbout = 'Hey there! I am using WhatsApp'
