import { FactList } from './fact-list.tsx'

/** The current privacy rules. Nothing can be changed yet, so nothing looks as if it could. */
export function PrivacySection() {
  return (
    <FactList
      facts={[
        {
          name: 'Last seen and online',
          about: 'Anyone who can message you, unless either of you blocked the other.',
        },
        { name: 'Read receipts', about: 'People see when you have read their messages.' },
        { name: 'Email', about: 'Only you can see it.' },
        {
          name: 'Messages',
          about: "Kept on your devices and on this server, in your copy and in the other person's.",
        },
      ]}
    />
  )
}
