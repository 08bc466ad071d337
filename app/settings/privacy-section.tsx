import { FactList } from './fact-list.tsx'

/** How things are; none of it can be changed yet, so nothing here looks as if it could. */
export function PrivacySection() {
  return (
    <FactList
      facts={[
        {
          name: 'Last seen and online',
          about:
            'Everybody who can write to you sees them, unless one of you has blocked the other.',
        },
        { name: 'Read receipts', about: 'The other person sees when you have read a message.' },
        { name: 'Email', about: 'Only you see it.' },
        {
          name: 'Messages',
          about: 'Kept on your devices and on this server, in your copy and in the other person’s.',
        },
      ]}
    />
  )
}
