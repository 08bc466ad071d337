/** In the order of an emoji's skins. */
export const skinToneNames = [
  'Default',
  'Light',
  'Medium-Light',
  'Medium',
  'Medium-Dark',
  'Dark',
] as const
