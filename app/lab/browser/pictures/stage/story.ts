/** The pictures' content: a week of a few people who sail. All times are UTC. */
export const storyNow = Date.UTC(2026, 5, 18, 18, 42)

export const cast = {
  ann: { name: 'Ann Petersen', about: 'Somewhere between two islands' },
  ben: { name: 'Ben Okafor', about: 'At the harbour, mostly' },
  carla: { name: 'Carla Jensen', about: 'Lamps, ropes, cakes' },
  emil: { name: 'Emil Berg', about: 'Busy fixing the boat' },
  farah: { name: 'Farah Nasser', about: 'Reading' },
  harbour: { name: 'Harbour Office', about: 'Open from six to six' },
  greta: { name: 'Greta Lind', about: 'Call me on the radio, channel 8' },
  dario: { name: 'Dario Rossi', about: 'Hey there! I am using WhatsApp' },
  ines: { name: 'Ines Costa', about: 'Tides and tea' },
  maya: { name: 'Maya Sundberg', about: 'On watch' },
  club: { name: 'Winter Sailing Club', about: 'Back in November' },
  jonas: { name: 'Jonas Falk', about: 'Moved away' },
} as const
export type Role = keyof typeof cast

export const groupName = 'Island weekend'

/** Written at devices, one after the other. */
export const groupLines: readonly { from: 'ann' | 'ben' | 'carla'; text: string }[] = [
  { from: 'ben', text: 'Cabin is ours from Friday to Sunday 🎉' },
  { from: 'carla', text: 'I bring lamps, ropes and, yes, a cake' },
  { from: 'ann', text: 'Then I take the first watch' },
  { from: 'ben', text: 'Who has a second tarp?' },
  { from: 'ann', text: '@Carla Jensen had one last year, I think' },
  { from: 'carla', text: 'Still have it. It goes on the boat tonight' },
]

export interface Line {
  from: Role
  to: Role
  /** June 2026: day, hour, minute. */
  at: readonly [day: number, hour: number, minute: number]
  text: string
  /** Starts the one that it answers. */
  answers?: string
  isStarred?: boolean
  /** The other person has not looked yet. */
  isUnread?: boolean
}

type Told = readonly [from: Role, at: Line['at'], text: string, more?: Partial<Line>]

export const storyLines: readonly Line[] = [
  ...talkWith('ben', [
    ['ben', [16, 18, 5], 'The ferry is booked. Friday, seven in the morning 🙈'],
    ['ann', [16, 18, 7], 'Seven?! I will need coffee'],
    ['ann', [16, 18, 7], 'A lot of coffee'],
    ['ben', [16, 18, 9], 'Already on the list ☕'],
    [
      'ben',
      [17, 9, 31],
      'It looks good from Friday noon on: sun, and a little wind from the west.',
      { isStarred: true },
    ],
    ['ben', [17, 9, 32], 'Have a look: https://weather.example.org/west-islands'],
    ['ann', [17, 12, 40], 'Perfect. Then the small sail will do'],
    ['ann', [17, 12, 41], 'Did you ask Carla about the lamps?'],
    [
      'ben',
      [17, 12, 58],
      'She has two. I pick them up tomorrow after work',
      { answers: 'Did you ask' },
    ],
    ['ben', [18, 17, 52], 'Lamps are here, and she gave us a cake on top 🍰'],
    ['ann', [18, 17, 55], 'I like Carla more and more'],
    [
      'ann',
      [18, 17, 56],
      'So this is what is left: rope, the blue tarp, batteries, and something to read. I can get the rope and the batteries on my way home.',
      { isStarred: true },
    ],
    ['ben', [18, 18, 20], 'The tarp is at my brother’s, I will fetch it tonight.'],
    ['ben', [18, 18, 21], 'The harbour Wi-Fi ends behind the lighthouse, so I may answer late.'],
    [
      'ann',
      [18, 18, 24],
      'Doesn’t matter. Write when you like, it leaves by itself',
      { answers: 'The harbour Wi-Fi' },
    ],
    ['ben', [18, 18, 31], 'That still surprises me every time'],
    ['ann', [18, 18, 40], 'See you at the pier, a quarter to seven!'],
  ]),
  ...talkWith('carla', [
    ['ann', [18, 18, 2], 'The cake! You are wonderful'],
    ['carla', [18, 18, 12], 'Save a piece for the seals', { isUnread: true }],
    [
      'carla',
      [18, 18, 13],
      'And the lamps want to be dry before you charge them, the left one above all.',
      { isUnread: true },
    ],
  ]),
  ...talkWith('emil', [
    ['emil', [18, 15, 10], 'The rudder is fixed. It was only a bolt'],
    ['ann', [18, 15, 31], 'Thank you, Emil! What do I owe you?', { isUnread: true }],
  ]),
  ...talkWith('farah', [
    [
      'farah',
      [17, 20, 4],
      'Take “The Summer Book”, it is short and there is an island in it',
      { isStarred: true },
    ],
    ['ann', [17, 20, 30], 'Packed. I bring it back on Monday'],
  ]),
  ...talkWith('harbour', [
    ['harbour', [17, 6, 0], 'Berth 14 is yours until Sunday.', { isUnread: true }],
    ['harbour', [17, 16, 0], 'Wind west 3 to 4, good visibility.', { isUnread: true }],
    [
      'harbour',
      [18, 6, 0],
      'The lamp on the east pier is out. Please keep to the west side after dark.',
      { isUnread: true },
    ],
  ]),
  ...talkWith('greta', [
    ['greta', [17, 19, 45], 'Radio check on Friday at eight, as always?'],
    ['ann', [17, 19, 50], 'As always. Channel 8'],
  ]),
  ...talkWith('dario', [['dario', [15, 11, 20], 'Pizza at ours when you are back 🍕']]),
  ...talkWith('ines', [
    ['ann', [14, 9, 2], 'High water on Friday is at 06:50, right?'],
    ['ines', [14, 9, 15], '06:48, but who counts'],
  ]),
  ...talkWith('maya', [
    ['maya', [12, 21, 30], 'The northern light was out again tonight'],
    ['ann', [12, 21, 42], 'I saw it from the kitchen!'],
  ]),
  ...talkWith('club', [
    [
      'club',
      [2, 17, 0],
      'The season is over. See you all in November, and thank you for the soup.',
    ],
  ]),
  ...talkWith('jonas', [
    ['jonas', [3, 10, 0], 'You can have my old chart of the islands, I will not need it any more'],
    ['ann', [3, 10, 20], 'Gladly! I will come by with my bicycle'],
  ]),
]

/** Jonas deletes his account after the third of June, and then Ann writes to him once more. */
export const lineToNobody = 'Jonas, are you still in town? I would pick up the chart tonight.'

function talkWith(other: Role, told: readonly Told[]): Line[] {
  return told.map(([from, at, text, more]) => ({
    from,
    to: from === 'ann' ? other : 'ann',
    at,
    text,
    ...more,
  }))
}
